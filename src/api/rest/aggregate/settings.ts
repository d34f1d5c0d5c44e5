import type { Declaration } from '#http/feature.js';
import { group, type ValueOf, integerSetting } from '#settings/setting.js';

/** The settings of groups. */
export const aggregateSettings = {
  api: {
    aggregate: group({
      minGroup: integerSetting(
        0,
        'Groups of fewer entries are not answered. It is a floor, and no anonymity: two filters that differ by one entry still tell',
        { minimum: 0 },
      ),
    }),
  },
} satisfies Declaration['settings'];

declare module '#settings/config.js' {
  interface FeatureSettings {
    readonly 'api.aggregate': ValueOf<typeof aggregateSettings.api.aggregate>;
  }
}
