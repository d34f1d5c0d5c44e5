import { collections } from '#model/schema/collections.js';
import type { Declaration } from '#http/feature.js';
import { previewDeclaration } from '../preview/settings.js';
import { signOnSettings } from '../sso/settings.js';

const expiry = { key: { expiresAt: 1 }, name: 'expiry', expireAfterSeconds: 0 } as const;

/** Seconds for which deliveries are kept: 30 days. */
const keptDeliveries = 30 * 86_400;

/** Seconds for which tags are kept that no webhook is told of: a day. */
const keptPurges = 86_400;

/** What the features of this folder store, by their names. The server deletes what has expired. */
export const adminDeclarations = {
  /** The versions of entries, and who has changed which one. */
  admin: {
    collections: [
      {
        name: collections.history,
        backup: 'whole',
        namesTypes: ['uid'],
        indexes: [{ key: { uid: 1, of: 1, version: -1 }, name: 'version', unique: true }, expiry],
      },
      {
        name: collections.contentAudit,
        backup: 'whole',
        namesTypes: ['uid'],
        indexes: [{ key: { uid: 1, of: 1, _id: -1 }, name: 'entry' }, { key: { at: -1, _id: -1 }, name: 'time' }, expiry],
      },
    ],
  },
  signOn: { settings: signOnSettings },
  preview: previewDeclaration,
  webhooks: {
    collections: [
      { name: collections.webhooks, backup: 'whole', namesTypes: ['types'], isFollowed: true },
      {
        name: collections.deliveries,
        backup: 'whole',
        indexes: [
          { name: 'due', key: { webhook: 1, status: 1, next: 1, key: 1 } },
          { name: 'lane', key: { webhook: 1, key: 1, status: 1, at: 1 } },
          { name: 'newest', key: { webhook: 1, at: -1 } },
          { name: 'expiry', key: { createdAt: 1 }, expireAfterSeconds: keptDeliveries },
        ],
      },
      {
        name: collections.purges,
        backup: 'never',
        indexes: [{ name: 'expiry', key: { at: 1 }, expireAfterSeconds: keptPurges }],
      },
    ],
  },
  /** One document for each shape of slow reads and hour. */
  queryShapes: { collections: [{ name: collections.queryShapes, backup: 'never', indexes: [expiry] }] },
} satisfies Readonly<Record<string, Declaration>>;
