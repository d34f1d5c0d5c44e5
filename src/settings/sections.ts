import { apiSettings } from './api-settings.js';
import { databaseSettings, middlewareSettings, serverSettings } from './server-settings.js';
import { pluginSettings } from './plugin-settings.js';
import {
  choice,
  flag,
  group,
  maybeText,
  optionalInteger,
  text,
  amount,
  integerSetting,
  type Group,
  type SettingMap,
  type SettingNode,
  shaped,
} from './setting.js';

/** The settings of config/backup: backups that the service makes itself. */
const backupSettings = group({
  schedule: maybeText('When backups are made: a cron rule of five or six fields in UTC, such as `0 3 * * *`; none by default', {
    variable: 'BACKUP_SCHEDULE',
    minLength: 1,
  }),
  to: text('./data/backups', 'Folder of these backups, or `s3://bucket/prefix` with the settings of uploads', {
    variable: 'BACKUP_TO',
    minLength: 1,
  }),
  keep: integerSetting(7, 'Number of these backups that are kept; older ones are deleted after each backup', {
    minimum: 1,
    variable: 'BACKUP_KEEP',
  }),
});

/** Seconds until each further attempt of a delivery: within a minute, then over three days. */
const retries: readonly number[] = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

/** The settings of config/webhooks: how events are delivered. */
const webhookSettings = group({
  retries: shaped<readonly number[]>(
    { type: 'array', maxItems: 20, items: { type: 'number', minimum: 0, maximum: 604_800 } },
    retries,
    'Seconds from a failed delivery to each further attempt; up to a fifth more, by chance',
  ),
  allowPrivate: flag(false, 'Deliver to addresses of this machine and of private networks too', {
    variable: 'WEBHOOKS_ALLOW_PRIVATE',
  }),
});

/** The settings of config/admin: access to the admin API, and hashing of API tokens. */
const adminSettings = group({
  enabled: flag(true, 'Serve the admin API under /admin/api, and what the admin panel calls'),
  url: text('/admin', 'Path of the pages of the admin panel', {
    pattern: '^(/[A-Za-z0-9._~-]+)+$',
    description: 'a path such as /admin',
  }),
  port: optionalInteger('A port of their own for the admin API and the panel; the port of the API then answers 404 to them', {
    ...{ minimum: 1, maximum: 65_535, variable: 'ADMIN_PORT' },
  }),
  serveAdminPanel: flag(true, 'Serve the pages of the admin panel, if it has been built'),
  builder: choice(
    ['read', 'write'],
    'What the right to change models in the panel allows in production: only to read them, or to change them; super admins may always change them',
    { variable: 'ADMIN_BUILDER' },
  ),
  panel: group({
    directory: text('./data/panel', 'Folder that `npx mangrove panel build` writes', { minLength: 1 }),
  }),
  token: maybeText('An admin token in addition to those created with `npx mangrove token`; at least 32 characters', {
    variable: 'ADMIN_TOKEN',
    secret: 32,
  }),
  tokenPrevious: maybeText('The former admin token, which is still accepted', { variable: 'ADMIN_TOKEN_PREVIOUS', secret: 32 }),
  ratelimit: group({
    interval: amount(60_000, 'Milliseconds over which invalid admin tokens are counted'),
    max: amount(10, 'Invalid admin tokens of one client in one interval; beyond: 429 instead of 401'),
  }),
  auth: group({
    secret: maybeText('Key that signs the tokens of administrators; derived from JWT_SECRET if it is not set', {
      variable: 'ADMIN_JWT_SECRET',
      secret: 16,
    }),
    secretPrevious: maybeText('The former key, whose tokens are still accepted', {
      variable: 'ADMIN_JWT_SECRET_PREVIOUS',
      secret: 16,
    }),
    options: group({ expiresIn: text('30d', 'Lifetime of the tokens of administrators', { minLength: 1 }) }),
  }),
  rateLimit: group({
    enabled: flag(true, 'Limit the log-ins of administrators'),
    interval: amount(300_000, 'Milliseconds over which log-ins are counted'),
    max: amount(5, 'Log-ins of one client with one e-mail address in one interval; beyond: 429'),
    maxPerClient: amount(40, 'The same with any e-mail address; in IPv6 a client is a /64 network'),
  }),
  apiToken: group({
    salt: maybeText('Key for hashing API tokens; at least 16 characters', {
      variable: 'API_TOKEN_SALT',
      secret: 16,
    }),
    saltPrevious: maybeText('The former key, whose API tokens are still accepted', {
      variable: 'API_TOKEN_SALT_PREVIOUS',
      secret: 16,
    }),
  }),
  audit: group({
    days: integerSetting(0, 'Days for which is kept who has changed which entry, also of files and users; 0: nothing is kept'),
  }),
  conflicts: choice(
    ['refuse', 'last'],
    'What a save in the panel does to an entry that has changed since the form was opened: `refuse` answers 400, `last` overwrites it, as in Strapi v4',
  ),
  secretsFile: text('./data/secrets.json', 'File for secrets that are not set, in development', { minLength: 1 }),
});

/**
 * All settings, by file of config/. They define type, default, check, environment variable and the row in docs/configuration.md.
 */
export const sections = {
  server: serverSettings,
  database: databaseSettings,
  api: apiSettings,
  plugins: pluginSettings,
  middlewares: middlewareSettings,
  admin: adminSettings,
  webhooks: webhookSettings,
  backup: backupSettings,
};

export type SectionName = keyof typeof sections;

/** Names of the sections, in the order in which they are read and documented. */
export const sectionNames = Object.keys(sections) as readonly SectionName[]; // its keys

/** Returns a value for each section. */
export const bySection = <Value>(valueOf: (name: SectionName) => Value): Readonly<Record<SectionName, Value>> =>
  Object.fromEntries(sectionNames.map((name) => [name, valueOf(name)])) as Record<SectionName, Value>; // one for each name

export type Sections = Readonly<Record<SectionName, Group<SettingMap>>>;

/** Settings that a feature adds to sections: `{ api: { cache: group({ … }) } }`. */
export type AddedSettings = Readonly<Partial<Record<SectionName, SettingMap>>>;

/** Returns all sections with the settings that features add. */
export function sectionsWith(features: readonly { readonly settings?: AddedSettings }[]): Sections {
  const extended = (name: SectionName): SettingMap =>
    Object.assign({}, sections[name].settings, ...features.map(({ settings }) => settings?.[name])) as SettingMap; // maps only
  return bySection((name) => group(extended(name)));
}

/** A row of the tables in docs/configuration.md. */
interface SettingRow {
  /** The path of the setting, including the section: `server.port`. */
  readonly key: string;
  readonly default: unknown;
  readonly variable: string | null;
  readonly about: string;
}

/** Returns the rows of all settings, in the order of the files and of their tables. */
export const listSettings = (all: Sections = sections): readonly SettingRow[] =>
  sectionNames.flatMap((name) => rowsOf(name, all[name]));

function rowsOf(key: string, node: SettingNode): readonly SettingRow[] {
  if (node.kind === 'setting') return [{ key, default: node.default, variable: node.variable, about: node.about }];
  return Object.entries(node.settings).flatMap(([name, child]) => rowsOf(`${key}.${name}`, child));
}
