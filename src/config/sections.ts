import { apiSettings } from './api-settings.js';
import { databaseSettings, middlewareSettings, serverSettings } from './server-settings.js';
import { pluginSettings } from './plugin-settings.js';
import { flag, group, maybeText, type SettingNode, text, whole } from './setting.js';

/** config/admin: who may administer the service, and what API tokens are hashed with. */
export const adminSettings = group({
  enabled: flag(true, 'Serve the admin API under /admin/api'),
  token: maybeText('An admin token besides those made with `npx mangrove token`, 32 characters at least', {
    variable: 'ADMIN_TOKEN',
    secret: 32,
  }),
  ratelimit: group({
    interval: whole(60_000, 'Milliseconds over which wrong admin tokens are counted', { minimum: 1 }),
    max: whole(10, 'Wrong admin tokens of one client in one interval, after which right ones are refused as well', {
      minimum: 1,
    }),
  }),
  apiToken: group({
    salt: maybeText('Key that API tokens are hashed with, 16 characters at least', {
      variable: 'API_TOKEN_SALT',
      secret: 16,
    }),
  }),
  secretsFile: text('./data/secrets.json', 'Where secrets that are not set are kept in development', { minLength: 1 }),
});

/** Every setting there is, by file of config/: type, default, check, environment variable and row of docs/configuration.md come from here. */
export const sections = {
  server: serverSettings,
  database: databaseSettings,
  api: apiSettings,
  plugins: pluginSettings,
  middlewares: middlewareSettings,
  admin: adminSettings,
};

export type SectionName = keyof typeof sections;

/** In the order in which they are read and shown. */
export const sectionNames: readonly SectionName[] = ['server', 'database', 'api', 'plugins', 'middlewares', 'admin'];

/** A row of the tables in docs/configuration.md. */
interface SettingRow {
  /** With its section: `server.port`. */
  readonly key: string;
  readonly default: unknown;
  readonly variable: string | null;
  readonly about: string;
}

/** Every setting in the order of the files and of the tables in them. */
export const listSettings = (): readonly SettingRow[] => sectionNames.flatMap((name) => rowsOf(name, sections[name]));

function rowsOf(key: string, node: SettingNode): readonly SettingRow[] {
  if (node.kind === 'setting') return [{ key, default: node.default, variable: node.variable, about: node.about }];
  return Object.entries(node.settings).flatMap(([name, child]) => rowsOf(`${key}.${name}`, child));
}
