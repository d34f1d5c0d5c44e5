import type { Declaration } from '#http/feature.js';
import { amount, group, type ValueOf } from '#settings/setting.js';

/** What the feature of the tests stores and reads from config/. */
export const likesDeclaration = {
  settings: {
    api: {
      likes: group({
        most: amount(1_000, 'Likes of an entry beyond which no more are counted'),
        sweepEvery: amount(3_600_000, 'Milliseconds between two times at which the likes of deleted entries are removed'),
      }),
    },
  },
  collections: [
    { name: '_likes', backup: 'whole', namesTypes: ['uid'], indexes: [{ key: { uid: 1, of: 1 }, name: 'entry' }] },
    { name: '_likes_swept', backup: 'never' },
  ],
} satisfies Declaration;

declare module '#settings/config.js' {
  interface FeatureSettings {
    readonly 'api.likes': ValueOf<typeof likesDeclaration.settings.api.likes>;
  }
}
