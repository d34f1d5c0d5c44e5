import { byName, type CodeRegistry, namesBelow } from '../routes/code-registry.js';
import type { Controller } from '../routes/core-controller.js';
import type { Service } from '../services/core-service.js';
import type { StrapiModel } from '../content/describe-model.js';
import type { ModelMembers } from '../content/model-members.js';
import { type PluginServices, refuseMissingOf } from '../services/plugin-services.js';
import type { StrapiConfig } from '../load/strapi-config.js';
import { isPluginOfStrapi } from '../load/missing-members.js';
import { missingPlugin, missingPluginService, refuseMissing } from '../load/unsupported-code.js';

/** A plugin for code of a project. */
export interface StrapiPlugin {
  service(name: string): Service;
  readonly services: Readonly<Record<string, Service>>;
  controller(name: string): Controller | undefined;
  readonly controllers: Readonly<Record<string, Controller>>;
  /** Returns a setting of the plugin by path. */
  config(key: string, otherwise?: unknown): unknown;
  /** Returns a content type of the plugin by its singular name; undefined if there is none. */
  contentType(name: string): StrapiModel | undefined;
  readonly contentTypes: Readonly<Record<string, StrapiModel>>;
}

interface PluginMembers {
  plugin(name: string): StrapiPlugin;
  readonly plugins: Readonly<Record<string, StrapiPlugin>>;
  /** Returns a service; undefined if there is none. */
  service(uid: string): Service | undefined;
}

/** A `strapi` with the services of GraphQL. */
export interface WithGraphql {
  plugin(name: 'graphql'): { service(name: string): Service };
}

interface PluginsInput {
  readonly strapi: WithGraphql;
  readonly registry: CodeRegistry;
  readonly services: PluginServices;
  readonly config: StrapiConfig;
  /** The models in force. */
  readonly models: Pick<ModelMembers, 'contentTypes' | 'getModel'>;
  readonly plugins: OwnPlugins;
}

/** The plugins of a project. */
export interface OwnPlugins {
  /** Returns the members of a plugin that those of Mangrove lack; null if the project has no such plugin. */
  readonly membersOf: (name: string) => object | null;
  /** Returns the names of the plugins of the project. */
  readonly names: () => readonly string[];
  /** Returns whether a plugin of Strapi v4 is absent because the project does not name it. */
  readonly isAbsent: (name: string) => boolean;
  /** Returns `strapi.admin` of which only its settings and registrations of permissions are there. */
  readonly admin: (config: unknown) => unknown;
  /** Returns a service of administrators by its uid, such as `admin::user`; undefined if it is not there. */
  readonly adminService: (uid: string) => Service | undefined;
}

/**
 * Returns the plugins that Mangrove or the project has. Others that Strapi v4 has throw an UnsupportedCodeError; names that nobody has
 * are undefined.
 */
export function createPlugins(input: PluginsInput): PluginMembers {
  const { services, plugins } = input;
  const find = finderOf(input);
  const has = (name: string): boolean => bare.includes(name) || services[name] !== undefined || plugins.membersOf(name) !== null;
  const made = new Map<string, StrapiPlugin>();
  const plugin = (name: string): StrapiPlugin => {
    if (plugins.isAbsent(name)) return undefined as never; // only code that asks whether it is there names it
    if (!has(name)) return (isPluginOfStrapi(name) ? refuse(missingPlugin(name)) : undefined) as never; // as before
    const plugin = made.get(name) ?? createPlugin(name, find, input);
    made.set(name, plugin); // always the same object, because code adds members
    return plugin;
  };
  return {
    plugin,
    plugins: byName(plugin, () => namesOf(services, plugins)),
    service: (uid) => find(...partsOf(uid)),
  };
}

/** Plugins that are there without services of their own: GraphQL has others, and the documentation its settings alone. */
const bare = ['graphql', 'documentation'];

/** Returns a service of a plugin; undefined if there is none. */
type FindService = (plugin: string, name: string) => Service | undefined;

const finderOf =
  ({ strapi, registry, services }: PluginsInput): FindService =>
  (plugin, name) => {
    const written = registry.get('service', `plugin::${plugin}.${name}`);
    if (written !== undefined) return services[plugin]?.[name] === undefined ? written : refuseMissingOf(plugin, name, written);
    if (plugin === 'graphql') return strapi.plugin('graphql').service(name); // refuses other names itself
    return services[plugin]?.[name];
  };

function createPlugin(
  name: string,
  find: FindService,
  { registry, services, config, models, plugins }: PluginsInput,
): StrapiPlugin {
  const prefix = `plugin::${name}.`;
  const written = (kind: 'service' | 'controller'): string[] => namesBelow(prefix, registry.uids(kind));
  const service = (of: string): Service => (find(name, of) ?? refuseIfAny(missingPluginService(name, of))) as Service; // as in Strapi
  const controller = (of: string): Controller | undefined => registry.get('controller', `${prefix}${of}`);
  const contentType = (of: string): StrapiModel | undefined => models.getModel(`${prefix}${of}`);
  const own: StrapiPlugin = {
    service,
    services: byName(service, () => [...Object.keys(services[name] ?? {}), ...written('service')]),
    controller,
    controllers: byName(controller, () => written('controller')),
    config: (key, otherwise) => config.get(`plugin.${name}.${key}`, otherwise),
    contentType,
    contentTypes: byName(contentType, () => namesBelow(prefix, Object.keys(models.contentTypes))),
    ...plugins.membersOf(name),
  };
  if (name === 'email') Object.assign(own, { provider: { send: service('email')['send'] as unknown } });
  if (name === 'upload' && services['upload']?.['provider'] !== undefined) Object.assign(own, { provider: service('provider') });
  return refuseMissing(own, `strapi.plugin('${name}')`);
}

const namesOf = (services: PluginServices, plugins: OwnPlugins): readonly string[] =>
  [...Object.keys(services), 'graphql', ...plugins.names()].filter((name) => !plugins.isAbsent(name));

/** Returns the plugin and the name in the uid of a service; empty texts, which no plugin has, for other uids. */
function partsOf(uid: string): readonly [plugin: string, name: string] {
  const [, plugin = '', name = ''] = /^plugin::([^.]+)\.(.+)$/.exec(uid) ?? [];
  return [plugin, name];
}

function refuse(error: Error): never {
  throw error;
}

const refuseIfAny = (error: Error | null): undefined => (error === null ? undefined : refuse(error));
