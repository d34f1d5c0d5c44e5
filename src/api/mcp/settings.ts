import type { Declaration } from '#http/feature.js';
import type { Config } from '#settings/config.js';
import { flag, group, maybeText, text, type ValueOf, integerSetting } from '#settings/setting.js';

/** The settings of the Model Context Protocol. */
export const mcpSettings = {
  api: {
    mcp: group({
      enabled: flag(false, 'Serve the Model Context Protocol: agents read and write with the rights of their callers', {
        variable: 'MCP',
      }),
      path: text('/mcp', 'Path of the endpoint', {
        pattern: '^(/[A-Za-z0-9._~-]+)+$',
        description: 'a path such as /mcp',
      }),
      public: flag(false, 'Serve callers without credentials too, with the rights of the public role'),
      readOnly: flag(false, 'Offer only the tools that read'),
      publish: flag(false, 'Offer the tools that publish and unpublish'),
      maxBytes: integerSetting(40_000, 'Bytes of the answer of a tool; the rest is on its next page', {
        minimum: 10_000,
        maximum: 1_000_000,
      }),
      oauth: group({
        enabled: flag(false, 'Let clients of third parties ask users for access (OAuth); set server.url too', {
          variable: 'MCP_OAUTH',
        }),
        registration: flag(
          false,
          'Let these clients register themselves; otherwise each has a public document that describes it',
        ),
      }),
      prompts: maybeText('The uid of the type whose entries are prompts, such as api::prompt.prompt'),
    }),
  },
} satisfies Declaration['settings'];

/** Returns the settings; undefined in a configuration that was created without those of features. */
export const mcpSettingsOf = ({ api }: Pick<Config, 'api'>) => (api as Partial<Config['api']>).mcp; // the type says that all are there

declare module '#settings/config.js' {
  interface FeatureSettings {
    readonly 'api.mcp': ValueOf<typeof mcpSettings.api.mcp>;
  }
}
