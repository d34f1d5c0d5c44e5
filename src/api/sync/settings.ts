import { amount, flag, group, integerSetting, type ValueOf } from '#settings/setting.js';

/** The settings of sync. */
export const syncSettings = {
  api: {
    sync: group({
      retention: integerSetting(2_592_000, 'Seconds for which changes are kept; a client that was away for longer starts anew', {
        minimum: 60,
      }),
      pageSize: integerSetting(500, 'Changes, or entries of a first load, in one answer', { minimum: 1, maximum: 10_000 }),
      connections: amount(10_000, 'Requests of this process that wait for changes; beyond: 503'),
      connectionsPerCaller: amount(20, 'The same of one user, token, or address without credentials; beyond: 429'),
      electric: flag(true, 'Serve shapes for clients of Electric at /shapes below the prefix'),
    }),
  },
};

declare module '#settings/config.js' {
  interface FeatureSettings {
    readonly 'api.sync': ValueOf<typeof syncSettings.api.sync>;
  }
}
