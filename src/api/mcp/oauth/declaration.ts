import type { Declaration } from '#http/feature.js';

export const grantCollection = '_oauth_grants';
export const clientCollection = '_oauth_clients';

const expiry = { key: { expiresAt: 1 }, name: 'expiresAt_1', expireAfterSeconds: 0 } as const;

/**
 * What OAuth stores. The server deletes what has expired. No backup contains grants: a restore would make codes and refresh tokens valid
 * again that were used, and grants that were ended.
 */
export const oauthDeclaration = {
  collections: [
    {
      name: grantCollection,
      backup: 'never',
      indexes: [expiry, { key: { user: 1, usedAt: 1 }, name: 'user_1_usedAt_1' }],
    },
    {
      name: clientCollection,
      backup: 'whole',
      isContent: false,
      indexes: [expiry, { key: { kind: 1 }, name: 'kind_1' }],
    },
  ],
} satisfies Declaration;
