import { createStandIn, isStandIn } from '#settings/stand-in.js';
import { insteadOfMember, insteadOfPlugin, insteadOfService, insteadOfUid } from './missing-members.js';

/**
 * Thrown for code of a Strapi project that cannot run here, because it uses something that Mangrove lacks, or imports a package
 * that is not installed.
 */
export class UnsupportedCodeError extends Error {
  override readonly name = 'UnsupportedCodeError';
}

const notOffered = (what: string, instead: string): UnsupportedCodeError =>
  new UnsupportedCodeError(`${what} is not offered: ${instead}`);

/** Returns the error for something with an alternative; null if there is none, because Strapi does not have it either. */
const orNull = (what: string, instead: string | null): UnsupportedCodeError | null =>
  instead === null ? null : notOffered(what, instead);

/** Returns the error for a member of an object of Strapi v4, such as `strapi.db`; null if Strapi has no such member. */
export const missingMember = (object: string, name: string): UnsupportedCodeError | null =>
  orNull(`${object}.${name}`, insteadOfMember(object, name));

/**
 * Returns the object with an UnsupportedCodeError for members that it lacks. `object` is its name in Strapi v4. Names that Strapi
 * lacks too are undefined.
 */
export const refuseMissing = <Target extends object>(target: Target, object: string, errorOf = missingMember): Target =>
  new Proxy(target, {
    get: (target, name) => {
      const missing = typeof name === 'symbol' || name in target ? null : errorOf(object, name);
      if (missing !== null) throw missing;
      return Reflect.get(target, name) as unknown;
    },
  });

/** Returns the error for `strapi.container.get(name)`; null if Strapi has no such registry. */
export const missingRegistry = (name: string): UnsupportedCodeError | null =>
  orNull(`strapi.container.get('${name}')`, insteadOfMember('strapi.container.get', name));

/** Returns the error for `strapi.plugin(name)`. */
export const missingPlugin = (name: string): UnsupportedCodeError =>
  notOffered(`strapi.plugin('${name}')`, insteadOfPlugin(name));

/** Returns the error for a service of a plugin; null if Strapi has no such service. */
export const missingPluginService = (plugin: string, name: string): UnsupportedCodeError | null =>
  orNull(`strapi.plugin('${plugin}').service('${name}')`, insteadOfService(plugin, name));

/** Returns the error for a part of a plugin that an extension uses. */
export const missingExtension = (name: string): UnsupportedCodeError =>
  notOffered(
    `the plugin ${name}`,
    'extensions add and override controllers, routes, services and policies of users-permissions, upload, email and i18n',
  );

/** Returns the error for `strapi.service(uid)` of a plugin or of the admin panel; null for others. */
export function missingService(uid: string): UnsupportedCodeError | null {
  const [, plugin, name] = /^plugin::([^.]+)\.(.+)$/.exec(uid) ?? [];
  if (plugin !== undefined && name !== undefined) return missingPluginService(plugin, name);
  return orNull(`strapi.service('${uid}')`, insteadOfUid(uid));
}

/** Returns the error for `strapi.db.query(uid)` of a model that only Strapi has; null if it has no such model. */
export const missingModel = (uid: string): UnsupportedCodeError | null => orNull(`strapi.db.query('${uid}')`, insteadOfUid(uid));

/** Returns the error for `strapi.db.query(uid)` of a component. */
export const componentQuery = (uid: string): UnsupportedCodeError =>
  notOffered(
    `strapi.db.query('${uid}')`,
    'components are stored in their entries; read and write the entries, with the component in populate',
  );

/** Returns the error for queries in SQL of a transaction. */
export const missingQueries = (): UnsupportedCodeError =>
  notOffered(
    'trx of strapi.db.transaction',
    'read and write with strapi.entityService or strapi.db.query, which belong to the transaction',
  );

/** Returns the error for a name that a package of Strapi exports, or a part of it; null if Strapi has no such name. */
export const missingExport = (exporter: string, name: string): UnsupportedCodeError | null =>
  orNull(`${name} of ${exporter}`, insteadOfMember(exporter, name));

/** Returns what code imports in place of a package that is not installed. Using it throws an UnsupportedCodeError with the message. */
export const leaveOut = (message: string): object =>
  createStandIn(() => {
    throw new UnsupportedCodeError(message);
  });

/** Returns whether a value is such an import, or one of its members. */
export const isLeftOut = isStandIn;
