import { isPlainObject, isRecord } from '#base/values.js';
import type { Extension, ExtensionInput, FieldConfiguration, Resolvers, ResolversConfig, UsedExtension } from './extension.js';

type Warn = (message: string) => void;

interface CollectedExtension {
  readonly types: readonly unknown[];
  readonly typeDefs: readonly string[];
  readonly plugins: readonly unknown[];
  readonly resolvers: Readonly<Record<string, unknown>>;
  /** Configurations by `Type.field`. */
  readonly resolversConfig: ReadonlyMap<string, FieldConfiguration>;
}

/**
 * Calls the extension functions in the order of registration, and merges their results. Types, SDL, plugins, policies and
 * middlewares are concatenated. Of several resolvers of a field the last one is used. `auth` of several configurations is combined.
 * Calls `warn` for unknown keys, which have no effect.
 */
export function collectExtensions(used: readonly UsedExtension[], input: ExtensionInput, warn: Warn): CollectedExtension {
  const extensions = used.map((extension) => resultOf(extension, input));
  for (const extension of extensions) warnOfKeys(extension, { what: 'A GraphQL extension', keys }, warn);
  return {
    types: extensions.flatMap(({ types }) => (types === undefined ? [] : [types])),
    typeDefs: extensions.flatMap(({ typeDefs = [] }) => typeDefs),
    plugins: extensions.flatMap(({ plugins = [] }) => plugins),
    resolvers: mergeResolvers(extensions.map(({ resolvers = {} }) => resolvers)),
    resolversConfig: mergeConfigs(
      extensions.map(({ resolversConfig = {} }) => resolversConfig),
      warn,
    ),
  };
}

function resultOf(used: UsedExtension, input: ExtensionInput): Extension {
  const extension: unknown = typeof used === 'function' ? used(input) : used;
  if (!isRecord(extension)) throw new Error(`A GraphQL extension must be an object, or a function that returns one`);
  return extension as Extension; // its parts are checked where they are used
}

const keys = ['types', 'typeDefs', 'plugins', 'resolvers', 'resolversConfig'];

interface Keyed {
  readonly what: string;
  readonly keys: readonly string[];
}

function warnOfKeys(given: object, { what, keys }: Keyed, warn: Warn): void {
  for (const key of Object.keys(given)) if (!keys.includes(key)) warn(`${what} has no "${key}"; it has ${keys.join(', ')}`);
}

function mergeResolvers(all: readonly Resolvers[]): Record<string, unknown> {
  const merged: Record<string, unknown> = {};
  for (const resolvers of all)
    for (const [typeName, given] of Object.entries(resolvers)) {
      const before = merged[typeName];
      // scalars are instances of a class, and replace the former value
      merged[typeName] = isPlainObject(before) && isPlainObject(given) ? { ...before, ...given } : given;
    }
  return merged;
}

function mergeConfigs(all: readonly ResolversConfig[], warn: Warn): Map<string, FieldConfiguration> {
  const merged = new Map<string, FieldConfiguration>();
  for (const [key, config] of all.flatMap(flatten)) {
    warnOfKeys(config, { what: `resolversConfig: "${key}"`, keys: settings }, warn);
    merged.set(key, mergeConfig(merged.get(key), config));
  }
  return merged;
}

const settings = ['auth', 'policies', 'middlewares'];

/** Returns configurations by `Type.field`; `Query: { articles: {…} }` is equivalent to `Query.articles`. */
function flatten(config: ResolversConfig): [string, FieldConfiguration][] {
  return Object.entries(config).flatMap(([key, value]): [string, FieldConfiguration][] => {
    if (key.includes('.')) return [[key, checkConfig(key, value)]];
    return Object.entries(value).map(([name, inner]) => [`${key}.${name}`, checkConfig(`${key}.${name}`, inner)]);
  });
}

function checkConfig(key: string, config: unknown): FieldConfiguration {
  if (!isRecord(config)) throw new Error(`resolversConfig: "${key}" must be an object`);
  for (const name of ['policies', 'middlewares'])
    if (config[name] !== undefined && !Array.isArray(config[name]))
      throw new Error(`resolversConfig: ${name} of "${key}" must be a list`);
  return config; // items are checked on use
}

function mergeConfig(earlier: FieldConfiguration = {}, later: FieldConfiguration): FieldConfiguration {
  return {
    ...mergeAuth(earlier.auth, later.auth),
    policies: [...(earlier.policies ?? []), ...(later.policies ?? [])],
    middlewares: [...(earlier.middlewares ?? []), ...(later.middlewares ?? [])],
  };
}

type Auth = FieldConfiguration['auth'];

/** Returns the combined `auth`: the actions of both if both have actions, otherwise the first one that is set. */
function mergeAuth(earlier: Auth, later: Auth): { readonly auth?: Exclude<Auth, undefined> } {
  const [first, second] = [scopeOf(earlier), scopeOf(later)];
  if (first !== null && second !== null) return { auth: { scope: [...first, ...second] } };
  const auth = earlier ?? later;
  return auth === undefined ? {} : { auth };
}

/** Returns the actions of a configuration; null if it has none. */
export function scopeOf(auth: Auth): readonly string[] | null {
  if (typeof auth !== 'object' || auth.scope === undefined) return null;
  return typeof auth.scope === 'string' ? [auth.scope] : auth.scope;
}
