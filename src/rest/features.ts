import { accountActions, fileActions } from '../auth/known-actions.js';
import type { Feature } from '../http/feature.js';
import { withPrefix } from '../http/route.js';
import { blobCollections } from '../mongo/stores/blob-store.js';
import { accountModels, fileModels, localeModels } from '../schema/builtin-models.js';

/** Users, roles, permissions and logins. */
export const accounts: Feature = {
  name: 'users-permissions',
  isEnabled: ({ plugins }) => plugins['users-permissions'].enabled,
  models: accountModels,
  actions: accountActions,
  routes: async ({ config }) =>
    withPrefix(config.api.rest.prefix, (await import('./accounts/account-routes.js')).accountRoutes(config)),
  start: async ({ accounts: parts, backend }) => {
    await (await import('../auth/default-roles.js')).createDefaultRoles(backend.store);
    return async () => parts?.mailer.close();
  },
};

/** The media library. */
export const uploads: Feature = {
  name: 'upload',
  isEnabled: ({ plugins }) => plugins.upload.enabled,
  collections: blobCollections,
  models: fileModels,
  actions: fileActions,
  routes: async ({ config }) => {
    const [{ fileRoutes }, { uploadRoutes }] = await Promise.all([
      import('../http/file-routes.js'),
      import('./upload-routes.js'),
    ]);
    return [...fileRoutes, ...withPrefix(config.api.rest.prefix, uploadRoutes)];
  },
  start: async ({ media, config, logger }) => {
    const { keepSweeping } = await import('../media/open-media.js');
    return media === null ? () => Promise.resolve() : keepSweeping(media, config, logger);
  },
};

/** The locales of localized content types. */
export const locales: Feature = {
  name: 'i18n',
  isEnabled: ({ plugins }) => plugins.i18n.enabled,
  models: localeModels,
  actions: ['plugin::i18n.locales.listLocales'],
  routes: async ({ config }) => withPrefix(config.api.rest.prefix, [(await import('./locale-route.js')).localeRoute]),
};

/** Descriptions of content types for clients. */
export const models: Feature = {
  name: 'content-type-builder',
  actions: [
    'plugin::content-type-builder.components.getComponents',
    'plugin::content-type-builder.components.getComponent',
    'plugin::content-type-builder.content-types.getContentTypes',
    'plugin::content-type-builder.content-types.getContentType',
  ],
  routes: async ({ config }) => withPrefix(config.api.rest.prefix, (await import('./model-read-routes.js')).modelReadRoutes),
};

/** The entries of all content types. */
export const content: Feature = {
  name: 'content',
  routes: async ({ config }) => (await import('./content-routes.js')).contentRoutes(config),
};
