import type { Declaration } from '#http/feature.js';

export const trashCollection = '_trash';
export const trashLinksCollection = '_trash_links';

const expiry = { key: { expiresAt: 1 }, name: 'expiry', expireAfterSeconds: 0 } as const;

/** Deleted entries, and the links to them that other entries stored. The server deletes what has expired. */
export const trashDeclaration = {
  collections: [
    {
      name: trashCollection,
      backup: 'whole',
      namesTypes: ['uid'],
      hasEntries: true,
      indexes: [
        { key: { uid: 1, at: -1, _id: -1 }, name: 'newest' },
        { key: { uid: 1, of: 1 }, name: 'entry' },
        { key: { group: 1 }, name: 'group', sparse: true },
        expiry,
      ],
    },
    {
      name: trashLinksCollection,
      backup: 'whole',
      namesTypes: ['holder'],
      indexes: [{ key: { trash: 1 }, name: 'trash' }, expiry],
    },
  ],
} satisfies Declaration;
