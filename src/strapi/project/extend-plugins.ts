import { isDeepStrictEqual } from 'node:util';
import type { Config } from '#settings/config.js';
import type { Route } from '#http/route.js';
import { builtinModels } from '#model/schema/builtin-models.js';
import { isRecord, mapValues, type Values } from '#base/values.js';
import type { CodeModels } from '../content/code-models.js';
import type { CodeRegistry } from '../routes/code-registry.js';
import type { Controller } from '../routes/core-controller.js';
import { uncalledMembers, withStandIns } from './extended-plugin.js';
import { routerOf, writtenRoute, type Controllers } from './extended-routes.js';
import type { Exports } from '../load/load-folders.js';
import { hooksOf, type PlacedHooks } from './project-hooks.js';
import type { CodeTargets } from './register-code.js';
import type { PluginServices } from '../services/plugin-services.js';
import type { StrapiRoute } from '../routes/strapi-route.js';
import type { StrapiConfig } from '../load/strapi-config.js';
import { warnIfUnsupported } from '../load/run-code.js';

/** A plugin, as it is passed to a strapi-server file of src/extensions, which may change it. */
interface ExtendedPlugin {
  readonly controllers: Record<string, Controller>;
  /** Functions that return the services. */
  readonly services: Record<string, unknown>;
  readonly policies: Record<string, unknown>;
  readonly middlewares: Record<string, unknown>;
  /** Models by name. */
  readonly contentTypes: Record<string, ExtendedType>;
  /** The settings of the plugin. Changes are values for `strapi.config.get`. */
  readonly config: Values;
  readonly bootstrap: unknown;
  readonly register: unknown;
  readonly destroy: unknown;
  readonly routes: { readonly 'content-api': { readonly type: 'content-api'; readonly routes: StrapiRoute[] } };
}

/** What a strapi-server file has changed in models of the service. */
export interface ExtendedModels {
  /** Path of the file, for messages. */
  readonly file: string;
  /** Makes the changes. Throws an Error that names models which are invalid then. */
  readonly change: (models: Pick<CodeModels, 'extend' | 'settle'>) => void;
}

interface Extended {
  readonly hooks: readonly PlacedHooks[];
  readonly extended: readonly ExtendedModels[];
}

interface ExtendedType {
  readonly schema?: { readonly attributes?: object };
  readonly attributes?: object;
  readonly lifecycles?: object;
}

interface ExtendParts extends CodeTargets {
  readonly config: Config;
  /** The built-in routes of plugins. */
  readonly builtin: readonly Route[];
  readonly services: PluginServices;
  readonly strapi: CodeTargets['strapi'] & { readonly config: Pick<StrapiConfig, 'get' | 'set'> };
  /** Directory of the project. */
  readonly directory: string;
  /** Reports what does not work, which stops the start in production. */
  readonly warn: (text: string) => void;
  /** Reports what has no effect. */
  readonly log: (text: string) => void;
}

/**
 * Runs the strapi-server file of each extension, and applies its additions and overrides to the plugin. Returns the functions to run
 * when the service starts and stops, and the changes of models.
 */
export async function extendPlugins(extensions: Exports, parts: ExtendParts): Promise<Extended> {
  const hooks: PlacedHooks[] = [];
  const extended: ExtendedModels[] = [];
  for (const [name, { file, code }] of extensions)
    try {
      const own = parts.builtin.filter(({ action }) => action.startsWith(`plugin::${name}.`));
      const plugin = await extendPlugin({ name, file, code }, own, parts);
      extended.push({ file, change: takeTypes(name, plugin, parts.lifecycles) });
      hooks.push({ file, hooks: hooksOf(plugin) });
    } catch (error) {
      warnIfUnsupported(error, file, parts.warn);
    }
  return { hooks, extended };
}

interface Extension {
  readonly name: string;
  readonly file: string;
  readonly code: unknown;
}

async function extendPlugin(
  { name, file, code }: Extension,
  routes: readonly Route[],
  parts: ExtendParts,
): Promise<ExtendedPlugin> {
  const before = controllersOf(name, routes, parts.registry);
  const written = new Map(routes.map((route) => [writtenRoute(route, name, parts.config), route] as const));
  const givenRoutes = new Map([...written.keys()].map((route) => [route, structuredClone(route)]));
  const settings = structuredClone(Object(parts.strapi.config.get(`plugin.${name}`)) as Values); // data
  const bare = pluginOf(name, [...written.keys()], { before, services: parts.services[name] ?? {}, config: settings });
  const given = withStandIns(bare, name, (text) => {
    parts.log(`${file}: ${text}`);
  });
  const saved = { settings: structuredClone(settings), services: { ...bare.services } };
  const returned: unknown = typeof code === 'function' ? await (code as (plugin: ExtendedPlugin) => unknown)(given) : given; // the form of the file
  const plugin = returned !== given && isRecord(returned) ? withMembers(returned) : given; // usually the same object
  for (const text of uncalledMembers(name, plugin)) parts.log(`${file}: ${text}`);
  register(name, plugin, saved.services, parts);
  for (const [key, value] of Object.entries(plugin.config))
    if (!isDeepStrictEqual(value, saved.settings[key])) parts.strapi.config.set(`plugin.${name}.${key}`, value);
  parts.addRouter(routerOf({ name, file }, plugin, { before, written, givenRoutes }));
  return plugin;
}

/** Returns a plugin that a file has put together itself, with empty members for those that it lacks, as Strapi v4 does. */
const withMembers = (plugin: Values): ExtendedPlugin =>
  ({
    ...{ controllers: {}, services: {}, policies: {}, middlewares: {}, contentTypes: {}, config: {} },
    routes: { 'content-api': { type: 'content-api', routes: [] } },
    ...Object.fromEntries(Object.entries(plugin).filter(([, member]) => member !== undefined)),
  }) as unknown as ExtendedPlugin; // the form of the file

/** Registers the code of a plugin, but not the services as they were given to the extension. */
function register(name: string, plugin: ExtendedPlugin, given: Values, { registry, strapi }: ExtendParts): void {
  for (const [key, actions] of Object.entries(plugin.controllers)) registry.add('controller', `plugin::${name}.${key}`, actions);
  for (const [key, service] of Object.entries(plugin.services))
    if (service !== given[key]) registry.add('service', `plugin::${name}.${key}`, service);
  for (const [key, policy] of Object.entries(plugin.policies)) strapi.policies.add(`plugin::${name}.${key}`, policy);
  for (const [key, one] of Object.entries(plugin.middlewares)) strapi.middlewares.add(`plugin::${name}.${key}`, one);
}

/** Subscribes the lifecycles of models. Returns a function that makes the changes of the extension in the models. */
function takeTypes(
  name: string,
  { contentTypes }: ExtendedPlugin,
  lifecycles: ExtendParts['lifecycles'],
): ExtendedModels['change'] {
  const types = Object.entries(contentTypes).map(([key, type]) => [`plugin::${name}.${key}`, type] as const);
  for (const [uid, type] of types) lifecycles.subscribeTo(uid, type.lifecycles);
  return (models) => {
    for (const [uid, type] of types)
      models.extend(
        uid,
        builtinModels.find((model) => model.uid === uid),
        type.schema ?? type,
      );
    models.settle();
  };
}

/** The default hooks of a plugin, which those of an extension may call. */
const nothing = (): void => undefined;

/** Returns the models of a plugin, so that code can add lifecycles. */
const typesOf = (name: string): Record<string, ExtendedType> =>
  Object.fromEntries(
    builtinModels
      .filter(({ uid }) => uid.startsWith(`plugin::${name}.`))
      .map(({ uid, ...model }) => [uid.slice(`plugin::${name}.`.length), { schema: structuredClone(model) }]),
  );

function controllersOf(name: string, routes: readonly Route[], registry: CodeRegistry): Controllers {
  const keys = [...new Set(routes.map(({ action }) => action.split('.')[1] ?? ''))];
  return Object.fromEntries(keys.map((key) => [key, registry.get('controller', `plugin::${name}.${key}`) ?? {}]));
}

function pluginOf(
  name: string,
  routes: StrapiRoute[],
  {
    before,
    services,
    config,
  }: { readonly before: Controllers; readonly services: PluginServices[string]; readonly config: Values },
): ExtendedPlugin {
  return {
    controllers: mapValues(before, (actions) => ({ ...actions })),
    services: mapValues(services ?? {}, (service) => () => service),
    policies: {},
    middlewares: {},
    contentTypes: typesOf(name),
    config,
    bootstrap: nothing,
    register: nothing,
    destroy: nothing,
    routes: { 'content-api': { type: 'content-api', routes } },
  };
}
