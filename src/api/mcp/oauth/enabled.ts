import type { Config } from '#settings/config.js';

/** Returns the settings of OAuth; undefined in a configuration that was created without those of features. */
export const oauthSettingsOf = ({ api }: Pick<Config, 'api'>) => (api as Partial<Config['api']>).mcp?.oauth; // the type says that all are there

/** Returns whether clients can get tokens: OAuth and the endpoint that its tokens are for are enabled, and there are users. */
export const isOAuthEnabled = (config: Config): boolean =>
  oauthSettingsOf(config)?.enabled === true && config.api.mcp.enabled && config.plugins['users-permissions'].enabled;
