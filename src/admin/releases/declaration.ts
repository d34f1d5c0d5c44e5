import type { Declaration } from '#http/feature.js';

export const releaseCollection = '_releases';

/** What is stored of releases. The server deletes those that were carried out a year ago. */
export const releasesDeclaration = {
  collections: [
    {
      name: releaseCollection,
      backup: 'whole',
      namesTypes: ['actions.uid'],
      isFollowed: true,
      indexes: [
        { key: { state: 1, at: 1 }, name: 'due' },
        { key: { 'actions.uid': 1, 'actions.id': 1 }, name: 'entry' },
        { key: { expiresAt: 1 }, name: 'expiry', expireAfterSeconds: 0 },
      ],
    },
  ],
} satisfies Declaration;
