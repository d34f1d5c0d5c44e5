import { sectionNames } from '../config/sections.js';
import type { Config } from '../config/config.js';
import type { Plugin, Strapi } from '../graphql/extension/extension.js';
import { isRecord } from '../schema/content-type.js';
import {
  missingDatabase,
  missingMember,
  missingPlugin,
  missingQuery,
  missingService,
  missingSetting,
} from './unsupported-code.js';

/**
 * The `strapi` that code of a Strapi project is given: that of config/extensions, with `config.get` and `plugins`. Members of
 * Strapi v4 that are not offered throw an UnsupportedCodeError; names that Strapi lacks too are undefined, and may be set.
 */
export function createProjectStrapi(strapi: Strapi): Strapi {
  const plugin = (name: string): Plugin => {
    if (name !== 'graphql') throw missingPlugin(name);
    return strapi.plugin(name);
  };
  const own = {
    config: withGet(strapi.config),
    db: byName((name) => {
      if (name !== 'query') throw missingDatabase(name);
      return refuseQuery('strapi.db.query');
    }),
    query: refuseQuery('strapi.query'),
    plugin,
    plugins: byName(plugin),
    service: (uid: string) => {
      if (!uid.startsWith('plugin::graphql.')) throw missingService(uid);
      return strapi.service(uid as Parameters<Strapi['service']>[0]); // its prefix was checked
    },
  };
  const target: Strapi = Object.assign(Object.create(strapi) as Strapi, own); // what it inherits from
  return new Proxy<Strapi>(target, { get: readMember });
}

/** An object that returns for each name what the function says. */
const byName = (read: (name: string) => unknown): object =>
  new Proxy({}, { get: (_, name) => (typeof name === 'symbol' ? undefined : read(name)) });

const refuseQuery = (call: string) => (uid: string) => {
  throw missingQuery(call, uid);
};

function readMember(target: object, name: string | symbol): unknown {
  const missing = typeof name === 'symbol' || name in target ? null : missingMember(name);
  if (missing !== null) throw missing;
  return Reflect.get(target, name) as unknown;
}

const withGet = (config: Config): Config =>
  Object.assign(Object.create(config) as Config, {
    get: (path: string, fallback?: unknown) => readSetting(config, path, fallback),
    has: (path: string) => readSetting(config, path, undefined) !== undefined,
  });

/** A setting by its path, such as `server.port` or `plugin.graphql.maxLimit`; the fallback if it is not set. */
function readSetting(config: Config, path: string, fallback: unknown): unknown {
  const [section = '', ...rest] = path.replace(/^plugin::/, 'plugin.').split('.');
  if (section === 'environment') return config.environment;
  const [name = '', ...inner] = rest;
  if (section === 'plugin') return below(config.plugins, [name, 'config', ...inner]) ?? fallback;
  const known = sectionNames.find((other) => other === section);
  if (known === undefined) throw missingSetting(path, sectionNames);
  return below(config[known], rest) ?? fallback;
}

const below = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, key) => (isRecord(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined), value);
