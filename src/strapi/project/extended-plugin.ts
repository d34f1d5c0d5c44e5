import { isRecord, mapValues, type Values } from '#base/values.js';
import { missingExtension } from '../load/unsupported-code.js';

type Members = Readonly<Record<string, readonly string[]>>;

/** Members of plugins in Strapi v4 that code may change there, by plugin and kind. Mangrove lacks some of them. */
const strapiMembers: Readonly<Record<string, Members>> = {
  'users-permissions': {
    controllers: ['auth', 'contentmanageruser', 'permissions', 'role', 'settings', 'user'],
    services: ['jwt', 'permission', 'providers', 'providers-registry', 'role', 'user', 'users-permissions'],
    policies: ['isAuthenticated', 'rateLimit'],
    middlewares: ['rateLimit'],
    contentTypes: ['permission', 'role', 'user'],
    routes: ['admin', 'content-api'],
  },
  upload: {
    controllers: [
      'admin-api',
      'admin-file',
      'admin-folder',
      'admin-folder-file',
      'admin-settings',
      'admin-upload',
      'content-api',
    ],
    services: ['api-upload-folder', 'extensions', 'file', 'folder', 'image-manipulation', 'metrics', 'provider', 'upload'],
    contentTypes: ['file', 'folder'],
    routes: ['admin', 'content-api', 'viewConfiguration'],
  },
  email: {
    controllers: ['email'],
    services: ['email'],
    routes: ['admin', 'content-api'],
  },
  i18n: {
    controllers: ['content-types', 'iso-locales', 'locales'],
    services: [
      ...['content-types', 'core-api', 'entity-service-decorator', 'iso-locales', 'locales', 'localizations', 'metrics'],
      ...['permissions', 'sanitize'],
    ],
    contentTypes: ['locale'],
    routes: ['admin', 'content-api'],
  },
};

/** Returns whether code can extend a plugin of Strapi. */
export const isExtended = (name: string): boolean => Object.hasOwn(strapiMembers, name);

/** Why extensions of plugins that Mangrove replaces are not run, by plugin. */
const replacedPlugins: Readonly<Record<string, string>> = {
  graphql: "the plugin graphql is Mangrove's own; change the schema by strapi.plugin('graphql').service('extension')",
  documentation: "the plugin documentation is Mangrove's own; its document has the routes and models in force",
  'content-manager': "the panel is Mangrove's own; change requests by middlewares, and entries by strapi.db.lifecycles",
  'content-type-builder': "the panel is Mangrove's own; code of register changes models",
};

/** Returns why an extension is not run. Strapi v4 does not run those of plugins that are not installed either. */
export const ignoredExtension = (name: string): string =>
  (Object.hasOwn(replacedPlugins, name) ? replacedPlugins[name] : undefined) ??
  `the project has no plugin ${name} with server code that is installed`;

/**
 * Returns a plugin for a strapi-server file. Members that only Strapi v4 has are stand-ins that take every use without an effect, so
 * that the rest of the file runs. `warn` is called with each.
 */
export function withStandIns<Plugin extends object>(plugin: Plugin, name: string, warn: (text: string) => void): Plugin {
  const kinds = strapiMembers[name] ?? {};
  const kept = plugin as Values; // members by kind
  const inner = mapValues(kept, (members, kind) => {
    const known = kinds[kind];
    if (known === undefined || !isRecord(members)) return members;
    return standingIn(members, `${name}.${kind}`, (member) => known.includes(member), warn);
  });
  return standingIn(Object.assign(plugin, inner), name, () => true, warn);
}

function standingIn<Target extends object>(
  target: Target,
  path: string,
  isOfStrapi: (member: string) => boolean,
  warn: (text: string) => void,
): Target {
  const made = new Map<string, unknown>();
  return new Proxy(target, {
    get: (target, member) => {
      if (typeof member === 'symbol' || member in target || notMembers.has(member) || !isOfStrapi(member))
        return Reflect.get(target, member) as unknown;
      if (!made.has(member)) {
        warn(missingExtension(`${path}.${member}`).message);
        made.set(member, standIn());
      }
      return made.get(member);
    },
  });
}

/** Names that the language and libraries read of every object. */
const notMembers: ReadonlySet<string> = new Set(['then', 'toJSON', '__esModule', 'default']);

/** Members that only parts of Strapi v4 call, by plugin, with what to change instead. */
const uncalled: Readonly<Record<string, readonly (readonly [holder: readonly string[], member: string, instead: string])[]>> = {
  'users-permissions': [
    [['middlewares'], 'rateLimit', 'the service limits attempts by plugins.users-permissions.config.ratelimit'],
  ],
  upload: [
    [['controllers', 'content-api'], 'uploadFiles', 'replace the action upload'],
    [['controllers', 'content-api'], 'replaceFile', 'replace the action upload'],
  ],
};

/** Returns a line for each member of an extended plugin that code has added and nothing calls. */
export const uncalledMembers = (name: string, plugin: object): string[] =>
  (uncalled[name] ?? []).flatMap(([holder, member, instead]) => {
    const members = holder.reduce<unknown>((part, key) => Reflect.get(Object(part) as object, key), plugin);
    const isAdded = Object.hasOwn(Object(members) as object, member);
    return isAdded ? [`${[name, ...holder, member].join('.')} is not called: ${instead}`] : [];
  });

/** Returns a value that can be called, read and changed, and is empty. */
export function standIn(): unknown {
  const own: unknown = new Proxy(() => undefined, {
    get: (_, name) => {
      if (name === Symbol.iterator) return [][Symbol.iterator].bind([]);
      if (name === Symbol.toPrimitive) return () => '';
      return typeof name === 'symbol' || notMembers.has(name) ? undefined : own;
    },
    set: () => true,
    apply: () => own,
    ownKeys: () => ['prototype'], // of every function; enumerates nothing
  });
  return own;
}
