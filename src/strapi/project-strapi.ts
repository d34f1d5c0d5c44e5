import { sectionNames } from '../config/sections.js';
import type { Config } from '../config/config.js';
import type { Plugin, Strapi } from '../graphql/extension/extension.js';
import { isRecord } from '../schema/content-type.js';
import { missingMember, missingPlugin, missingService, missingSetting } from './unsupported-code.js';

/**
 * The `strapi` that code of a Strapi project is given: that of config/extensions, with `config.get` and `plugins`. Members of
 * Strapi v4 that are not offered throw a UnsupportedCodeError; names that Strapi lacks too are undefined, and may be set.
 */
export function createProjectStrapi(strapi: Strapi): Strapi {
  const plugin = (name: string): Plugin => {
    if (name !== 'graphql') throw missingPlugin(name);
    return strapi.plugin(name);
  };
  const own = {
    config: withGet(strapi.config),
    plugin,
    plugins: new Proxy({}, { get: (_, name) => (typeof name === 'symbol' ? undefined : plugin(name)) }),
    service: (uid: string) => {
      if (!uid.startsWith('plugin::graphql.')) throw missingService(uid);
      return strapi.service(uid as Parameters<Strapi['service']>[0]); // its prefix was checked
    },
  };
  const target: Strapi = Object.assign(Object.create(strapi) as Strapi, own); // what it inherits from
  return new Proxy<Strapi>(target, { get: readMember });
}

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
