import { sectionNames } from '../config/sections.js';
import type { Config } from '../config/config.js';
import type { ContentContext } from '../content/content-context.js';
import type { Plugin, Strapi } from '../graphql/extension/extension.js';
import { isRecord } from '../values.js';
import type { CodeTransactions } from './code-transactions.js';
import { describeModel, type StrapiModel } from './describe-model.js';
import type { Lifecycles } from './lifecycles.js';
import type { QueryEngine } from './query-engine.js';
import { createStrapiDatabase, type StrapiDatabase } from './strapi-database.js';
import { missingMember, missingPlugin, missingService, missingSetting } from './unsupported-code.js';

/** The `strapi` that code of a project is given: that of config/extensions, and more of Strapi v4 by its names. */
export interface ProjectStrapi extends Omit<Strapi, 'contentTypes' | 'contentType'> {
  readonly db: StrapiDatabase;
  /** The same as `db.query`. */
  query(uid: string): QueryEngine;
  /** All content types in force, by uid. */
  readonly contentTypes: Readonly<Record<string, StrapiModel>>;
  /** All components in force, by uid. */
  readonly components: Readonly<Record<string, StrapiModel>>;
  /** A content type or component. Throws for an unknown uid. */
  contentType(uid: string): StrapiModel;
  /** The same; undefined for an unknown uid. */
  getModel(uid: string): StrapiModel | undefined;
}

interface StrapiParts {
  readonly content: () => ContentContext;
  readonly lifecycles: Lifecycles;
  readonly transactions: CodeTransactions;
}

/**
 * Members of Strapi v4 that are not offered throw an UnsupportedCodeError; names that Strapi lacks too are undefined, and may be
 * set.
 */
export function createProjectStrapi(strapi: Strapi, parts: StrapiParts): ProjectStrapi {
  const plugin = (name: string): Plugin => {
    if (name !== 'graphql') throw missingPlugin(name);
    return strapi.plugin(name);
  };
  const db = createStrapiDatabase(parts);
  const own = {
    config: withGet(strapi.config),
    db,
    query: db.query,
    plugin,
    plugins: byName(plugin),
    service: (uid: string) => {
      if (!uid.startsWith('plugin::graphql.')) throw missingService(uid);
      return strapi.service(uid as Parameters<Strapi['service']>[0]); // its prefix was checked
    },
  };
  const target = Object.assign(Object.create(strapi) as object, own);
  Object.defineProperties(target, Object.getOwnPropertyDescriptors(modelMembers(parts.content)));
  return new Proxy(target, { get: readMember }) as ProjectStrapi; // it inherits the rest
}

/** Models are read when code asks for them: they change while the service runs. */
function modelMembers(
  content: StrapiParts['content'],
): Pick<ProjectStrapi, 'contentTypes' | 'components' | 'contentType' | 'getModel'> {
  const ofKind = (isComponent: boolean): Record<string, StrapiModel> => {
    const types = [...content().bind.registry.types.values()].filter(({ kind }) => (kind === 'component') === isComponent);
    return Object.fromEntries(types.map((type) => [type.uid, describeModel(type)]));
  };
  const getModel = (uid: string): StrapiModel | undefined => {
    const type = content().bind.registry.types.get(uid);
    return type && describeModel(type);
  };
  return {
    get contentTypes() {
      return ofKind(false);
    },
    get components() {
      return ofKind(true);
    },
    getModel,
    contentType: (uid) => {
      const model = getModel(uid);
      if (model === undefined) throw new Error(`Unknown content type "${uid}"`);
      return model;
    },
  };
}

/** An object that returns for each name what the function says. */
const byName = (read: (name: string) => unknown): object =>
  new Proxy({}, { get: (_, name) => (typeof name === 'symbol' ? undefined : read(name)) });

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
