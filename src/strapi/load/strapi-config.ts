import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Config } from '#settings/config.js';
import { createEnv, lenientReaders } from '#settings/create-env.js';
import { isReadable, readSection } from '#settings/read-section.js';
import { isRecord, mapValues, recordIn, type Values } from '#base/values.js';

/** The version of Strapi whose API the code of projects has. */
const strapiVersion = '4.26.2';

/** `strapi.config`: the settings in force, and further values in files of config/. */
export interface StrapiConfig extends Omit<Config, 'environment'> {
  /** NODE_ENV as it is written, as in Strapi v4. */
  readonly environment: string;
  /**
   * Returns a setting by path, such as `server.port`, `plugin.graphql.maxLimit` or `my-file.key`; the fallback if it is not set.
   */
  get(path: string | readonly string[], fallback?: unknown): unknown;
  has(path: string | readonly string[]): boolean;
  /** Sets a value for `get`. Does not change settings of the service. */
  set(path: string, value: unknown): void;
}

/** The project of configuration files, and what it shares with them. */
interface ConfigFolder {
  /** Absolute path. */
  readonly directory: string;
  readonly modules?: Parameters<typeof readSection>[0]['modules'];
}

/** Reads the raw values of all files of config/, by file name. */
export async function readConfigFiles(
  { directory, modules }: ConfigFolder,
  settings: Config,
  warn: (text: string) => void,
): Promise<Values> {
  const folder = join(directory, 'config');
  const info = manifestOf(directory);
  if (!existsSync(folder)) return { info };
  const files = readdirSync(folder).filter((file) => isReadable(extname(file)) && !file.endsWith('.d.ts'));
  const names = [...new Set(files.map((file) => file.slice(0, -extname(file).length)))].filter((name) => name !== 'extensions');
  if (names.includes('logger')) warn('config/logger is not read: it is for the logger of Strapi; set middlewares.logger');
  const environment = settings.environmentName;
  const source = {
    directory,
    environment,
    env: createEnv(process.env, lenientReaders),
    modules,
    isStrapiProject: true,
    warn,
    refuse: raise,
  };
  const own = names.filter((name) => name !== 'logger');
  const read = await Promise.all(own.map(async (name) => [name, (await readSection(source, name)).value] as const));
  return { info, ...Object.fromEntries(read) };
}

/** Returns the package.json of a project, which Strapi v4 has as `info`; an empty object if there is none. */
function manifestOf(directory: string): Values {
  const file = join(directory, 'package.json');
  const manifest: unknown = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  return isRecord(manifest) ? manifest : {};
}

const raise = (error: Error): never => {
  throw error;
};

/** Creates `strapi.config`. Settings in force have precedence over raw values of files. */
export function createStrapiConfig(settings: Config, files: Values): StrapiConfig {
  const config = asInStrapi(settings, recordIn(files, 'info'));
  const shown: Record<string, unknown> = { ...files, ...withFileValues(config, files) };
  const set = new Map<string, SetValue>();
  const get = (path: string | readonly string[], fallback?: unknown): unknown => {
    const names = namesIn(path);
    const written = below(config, inSections(names)) ?? below(files, inSections(names));
    const value = [...set.values()].reduce((value, one) => withSet(value, names, one), written);
    return value === undefined ? fallback : value;
  };
  const own = {
    get,
    has: (path: string | readonly string[]) => get(path) !== undefined,
    set: (path: string, value: unknown) => {
      const names = namesIn(path);
      const [section = '', ...below] = names;
      shown[section] = setBelow(shown[section], below, value);
      set.delete(names.join('.')); // the last one counts
      set.set(names.join('.'), { names, value });
    },
  };
  return Object.assign(Object.create(shown) as SettingsInStrapi, own);
}

/** Returns the names in a path, such as `server.app.keys[0]`. */
const namesIn = (path: string | readonly string[]): readonly string[] =>
  typeof path === 'string'
    ? path
        .replace(/^plugin::/, 'plugin.')
        .replace(/\[["']?([^\]"']*)["']?\]/g, '.$1')
        .split('.')
    : path.map(String);

/** A value that code has set at a path. */
interface SetValue {
  readonly names: readonly string[];
  readonly value: unknown;
}

/** Returns the value at a path after another value was set at the same path, above it or below it. */
function withSet(value: unknown, path: readonly string[], { names, value: given }: SetValue): unknown {
  const shared = names.slice(0, path.length);
  if (shared.some((name, index) => name !== path[index])) return value;
  if (names.length <= path.length) return below(given, path.slice(names.length));
  return setBelow(value, names.slice(path.length), given);
}

const setBelow = (value: unknown, [name, ...rest]: readonly string[], given: unknown): unknown =>
  name === undefined
    ? given
    : { ...(isRecord(value) && value), [name]: setBelow(isRecord(value) ? value[name] : undefined, rest, given) };

/** Adds the values of files that are no settings to their sections, such as `server.app`. */
const withFileValues = (config: SettingsInStrapi, files: Values): Values =>
  mapValues<unknown, unknown>({ ...config }, (section, name) => {
    const written = files[name];
    return isRecord(section) && isRecord(written) ? { ...written, ...section } : section;
  });

type SettingsInStrapi = Omit<StrapiConfig, 'get' | 'has' | 'set'>;

/**
 * Returns the settings with what Strapi v4 adds to them. The public address has no slash at the end, and is empty if there is none.
 * `info` is the package.json.
 */
const asInStrapi = ({ server, ...settings }: Config, info: Values): SettingsInStrapi => ({
  ...settings,
  ...{ info: { ...info, strapi: strapiVersion }, uuid: recordIn(info, 'strapi')['uuid'] },
  ...{ host: server.host, port: server.port, launchedAt: Date.now(), autoReload: false },
  ...{ packageJsonStrapi: Object.fromEntries(Object.entries(recordIn(info, 'strapi')).filter(([name]) => name !== 'uuid')) },
  environment: settings.environmentName,
  server: { ...server, url: server.url?.replace(/\/+$/, '') ?? '' },
});

/** Translates a path: `plugin.graphql.maxLimit` to `plugins.graphql.config.maxLimit`. */
const inSections = ([section = '', name, ...rest]: readonly string[]): readonly string[] =>
  section === 'plugin' && name !== undefined
    ? ['plugins', name, 'config', ...rest]
    : [section, ...(name === undefined ? [] : [name]), ...rest];

const below = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, key) => {
    const parts = Array.isArray(inner) || isRecord(inner) ? (inner as Values) : {}; // a list has its places as keys
    return Object.hasOwn(parts, key) ? parts[key] : undefined;
  }, value);
