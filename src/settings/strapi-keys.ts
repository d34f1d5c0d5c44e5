import { originSetting } from './cors-origin.js';
import { valuesOf, type Meaning, type Translation } from './translation.js';
import { isRecord, type Values } from '#base/values.js';
import { emailProvider, uploadProvider } from './strapi-providers.js';

const adminPanel = "belongs to the server of Strapi's admin panel, and has no effect; remove it";
const sql = 'is for SQL databases; name a MongoDB in MONGODB_URI (database.uri), or none for the embedded server';

const oneOf = (keys: readonly string[], meaning: Meaning, prefix = ''): Record<string, Meaning> =>
  Object.fromEntries(keys.map((key) => [prefix + key, meaning]));

/**
 * Keys of a Strapi v4 configuration that Mangrove does not have or whose values differ, by section and path. `plugins` and
 * `middlewares` have additional rules: for plugins by name, and for lists.
 */
export const strapiKeys: Readonly<Record<string, Meaning>> = {
  'server.app': null,
  'server.cron': null,
  // The template of Strapi sets populateRelations to false, which says what is so.
  'server.webhooks': (value) => {
    const { populateRelations, defaultHeaders } = valuesOf(value);
    const isFollowed = booleanOf(populateRelations) !== true && Object.keys(valuesOf(defaultHeaders)).length === 0;
    return { advice: isFollowed ? undefined : 'set headers and populate of each webhook instead' };
  },
  'server.transfer': 'there is no transfer; copy the database with the tools of MongoDB',
  'server.admin': adminPanel,
  ...oneOf(['server.dirs', 'server.emitErrors', 'server.globalProxy', 'server.socket'], 'has no effect; remove it'),
  'server.logger': 'set middlewares.logger.level',
  'server.url': publicUrl,
  'server.proxy': (value) => ({ set: { 'server.proxy': isRecord(value) ? value['koa'] === true : booleanOf(value) } }),
  'server.http': (value) => {
    const time = valuesOf(valuesOf(value)['serverOptions'])['requestTimeout'];
    return time === 0
      ? { advice: 'requests have a time limit; set server.requestTimeout' }
      : { set: { 'server.requestTimeout': time } };
  },
  ...oneOf(['database.connection', 'database.connections', 'database.defaultConnection', 'database.settings'], sql),
  ...Object.fromEntries(
    ['api.rest.defaultLimit', 'plugins.graphql.config.defaultLimit', 'plugins.graphql.config.amountLimit'].map((path) => [
      path,
      (value: unknown) => ({ set: { [path]: typeof value === 'number' && value < 0 ? mostEntries : value } }),
    ]),
  ),
  'api.rest.maxLimit': (value) => ({ set: { 'api.rest.maxLimit': typeof value === 'number' && value < 1 ? null : value } }),
  ...oneOf(['transfer', 'autoOpen', 'watchIgnoreFiles', 'host', 'path', 'build', 'flags'], adminPanel, 'admin.'),
  ...oneOf(['forgotPassword', 'auditLogs', 'secrets', 'vite', 'strictPort'], adminPanel, 'admin.'),
  'admin.url': panelPath,
  'admin.serveAdminPanel': (value) => ({ set: { 'admin.serveAdminPanel': booleanOf(value) } }),
  'middlewares.cors.origin': originSetting,
  'plugins.graphql.config.subscriptions': (value) => ({
    set: { 'plugins.graphql.config.subscriptions': isRecord(value) || value },
  }),
  ...oneOf(['plugins.graphql.config.federation', 'plugins.graphql.config.v4CompatibilityMode'], 'has no effect; remove it'),
  'plugins.graphql.config.landingPage': 'set plugins.graphql.config.playgroundAlways',
  'plugins.graphql.config.playground': 'set plugins.graphql.config.playgroundAlways',
  'plugins.users-permissions.config.layout': adminPanel,
  'plugins.users-permissions.config.grant': 'name OpenID Connect providers in plugins.users-permissions.config.providers',
  'plugins.users-permissions.config.email': 'set the templates over the admin API: PUT /admin/api/settings',
  'plugins.users-permissions.config.ratelimit.interval': (value) => ({
    set: { 'plugins.users-permissions.config.ratelimit.interval': isRecord(value) ? milliseconds(value) : value },
  }),
  ...oneOf(['timeWait', 'delayAfter', 'prefixKey', 'headers'], null, 'plugins.users-permissions.config.ratelimit.'),
  'plugins.upload.config': uploadProvider,
  'plugins.email.config': emailProvider,
  'plugins.i18n.config.locales': 'add locales over the admin API: POST /admin/api/locales',
};

/** Keys whose absent value is not the default: an unset variable must not open the service. */
export const keysOfUnset: ReadonlySet<string> = new Set(['middlewares.cors.origin']);

/** Advice for plugins that Mangrove does not have. Settings of unlisted plugins are ignored. */
export const pluginAdvice: Readonly<Record<string, string>> = {
  documentation: 'the OpenAPI document is at /api/openapi.json, and a page of it at /docs',
  sentry: 'errors are in the log',
  'rest-cache': 'the service has its own caches, which every write updates',
};

/** Plugins whose configuration is translated to settings of Mangrove. */
export const pluginMeanings: Readonly<Record<string, (config: Values) => Translation>> = {
  'strapi-plugin-populate-deep': populateDeep,
  'populate-deep': populateDeep,
  transformer: flattening,
};

/**
 * Translates the depth of the plugin. It is limited to the maximum of the setting, so that the configuration of a project is
 * never refused.
 */
function populateDeep({ defaultDepth = 5 }: Values): Translation {
  return { set: { 'api.rest.populateDeep': Math.min(Number(defaultDepth), deepest) } };
}

/** Translates the plugin transformer, which removes `attributes`, `data` or both from entries in answers. */
function flattening({ responseTransforms }: Values): Translation {
  const { removeAttributesKey = false, removeDataKey = false } = valuesOf(responseTransforms);
  if (removeAttributesKey === removeDataKey) return { set: { 'api.rest.flatten': removeDataKey === true } };
  return { advice: 'api.rest.flatten removes `attributes` and `data`, or neither' };
}

/** Maximum of `api.rest.populateDeep`. */
const deepest = 18;

/** The limit to use for -1, which means all entries in Strapi. */
const mostEntries = 1_000;

/** Converts a boolean that is written as a string, as environment variables often are. */
const booleanOf = (value: unknown): unknown => (value === 'true' ? true : value === 'false' ? false : value);

function publicUrl(value: unknown): Translation {
  if (typeof value !== 'string' || /^https?:\/\/[^/]/.test(value))
    return { set: { 'server.url': typeof value === 'string' ? value.replace(/\/+$/, '') : value } };
  if (value === '') return { set: { 'server.url': null } };
  return { advice: `give the whole address, as https://example.org${value.startsWith('/') ? value : ''}` };
}

/** Translates the address of the panel. Strapi v4 also takes the address of another host, and the root of this one. */
function panelPath(value: unknown): Translation {
  if (typeof value !== 'string') return { set: { 'admin.url': value } };
  const path = value.replace(/^https?:\/\/[^/]*/, '').replace(/^\/*|\/+$/g, '');
  const isElsewhere = /^https?:/.test(value);
  return {
    ...(path !== '' && { set: { 'admin.url': `/${path}` } }),
    ...(isElsewhere && {
      advice: `the panel is at ${path === '' ? '/admin' : `/${path}`} of the service; let a proxy serve it elsewhere`,
    }),
    ...(!isElsewhere && path === '' && { advice: 'the panel needs a path of its own; it is at /admin' }),
  };
}

/** Converts a duration of koa2-ratelimit, such as `{ min: 5 }`, to milliseconds. */
function milliseconds(value: Values): number | undefined {
  const units: Readonly<Record<string, number>> = { sec: 1_000, min: 60_000, hour: 3_600_000, day: 86_400_000 };
  const sum = Object.entries(units).reduce((total, [unit, length]) => total + Number(value[unit] ?? 0) * length, 0);
  return sum > 0 ? sum : undefined;
}
