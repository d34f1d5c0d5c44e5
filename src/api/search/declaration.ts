import type { Declaration } from '#http/feature.js';
import { searchSettings } from './settings.js';

export const indexCollection = '_search_indexes';

/** Has the place of the feed, which changes often, so that no instance follows it. */
export const feedCollection = '_search_feed';

/** What search engines need. The indexes are built again after a restore, so that no backup contains what is known of them. */
export const searchDeclaration = {
  settings: searchSettings,
  collections: [
    { name: indexCollection, backup: 'never', isFollowed: true },
    { name: feedCollection, backup: 'never' },
  ],
} satisfies Declaration;
