import { collections } from '#model/schema/collections.js';
import type { Declaration } from '#http/feature.js';

const expiry = { key: { expiresAt: 1 }, name: 'expiresAt_1', expireAfterSeconds: 0 } as const;

/** What the features of this folder store, by their names. The server deletes what has expired. */
export const restDeclarations = {
  /** The states of log-ins through other services, and refresh tokens, which depend on the users. */
  accounts: {
    collections: [
      { name: collections.loginStates, backup: 'never', indexes: [expiry] },
      {
        name: collections.refreshTokens,
        backup: 'whole',
        isContent: false,
        indexes: [expiry, { key: { family: 1 }, name: 'family_1' }, { key: { user: 1 }, name: 'user_1' }],
      },
    ],
  },
  /** The collections of GridFS, with its indexes and those for the sweep and for variants. */
  uploads: {
    collections: [
      {
        name: 'uploads.files',
        backup: 'whole',
        indexes: [
          { key: { filename: 1, uploadDate: 1 }, name: 'filename_1_uploadDate_1' },
          { key: { 'pending.since': 1 }, name: 'pending.since_1', sparse: true },
          { key: { 'metadata.variantOf': 1 }, name: 'metadata.variantOf_1', sparse: true },
        ],
      },
      {
        name: 'uploads.chunks',
        backup: 'whole',
        indexes: [{ key: { files_id: 1, n: 1 }, name: 'files_id_1_n_1', unique: true }],
      },
    ],
  },
  /** The records of writes with an Idempotency-Key. */
  content: {
    collections: [
      {
        name: collections.keys,
        backup: 'whole',
        namesTypes: ['uid'],
        isContent: false,
        indexes: [expiry, { key: { client: 1, bytes: 1 }, name: 'client_1_bytes_1' }],
      },
    ],
  },
} satisfies Readonly<Record<string, Declaration>>;
