import type { Declaration } from '#http/feature.js';
import type { Config } from '#settings/config.js';
import { choice, group, maybeText, text, texts, type ValueOf, integerSetting } from '#settings/setting.js';

/** The settings of search engines. */
export const searchSettings = {
  api: {
    search: group({
      engine: choice(['mongodb', 'meilisearch', 'typesense', 'atlas'], 'What finds entries by `_q`', {
        variable: 'SEARCH_ENGINE',
      }),
      url: maybeText('Address of Meilisearch or Typesense, such as `http://localhost:7700`', {
        variable: 'SEARCH_URL',
        pattern: '^https?://[^@\\s]+$',
        description: 'an address such as http://localhost:7700, without a password',
      }),
      key: maybeText('API key of Meilisearch or Typesense, which may create indexes and write documents', {
        variable: 'SEARCH_KEY',
        secret: 1,
        pattern: '^[!-~]+$',
        description: 'visible ASCII characters without spaces, as headers take them',
      }),
      prefix: text('mangrove', 'First part of the names of its indexes; another one for each database that shares an engine', {
        pattern: '^[a-z0-9_-]{1,40}$',
        description: '1 to 40 small letters, digits, hyphens or underscores',
      }),
      types: texts([], 'Uids of the content types that it searches; without any, all collection types of the project with texts'),
      timeout: integerSetting(1_000, 'Milliseconds that the engine may take for a search; after them MongoDB searches', {
        minimum: 50,
        maximum: 30_000,
      }),
    }),
  },
} satisfies Declaration['settings'];

export type SearchSettings = ValueOf<typeof searchSettings.api.search>;

/** Returns the settings; null if MongoDB searches. A configuration that was created without those of features has none. */
export function searchSettingsOf({ api }: Pick<Config, 'api'>): SearchSettings | null {
  const { search } = api as Partial<Config['api']>; // the type says that all are there
  return search === undefined || search.engine === 'mongodb' ? null : search;
}

declare module '#settings/config.js' {
  interface FeatureSettings {
    readonly 'api.search': ValueOf<typeof searchSettings.api.search>;
  }
}
