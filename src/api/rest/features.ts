import { createDefaultRoles } from '#content/rights/default-roles.js';
import { accountActions, fileActions } from '#content/rights/known-actions.js';
import type { Config } from '#settings/config.js';
import type { Feature } from '#http/feature.js';
import { fileRoutes } from '#http/file-routes.js';
import { keyOption } from '#http/idempotency/read-key.js';
import { withPrefix, type ContextRoute, type Route } from '#http/route.js';
import { mediaOf } from '#http/running.js';
import { keepSweeping } from '#media/retire-files.js';
import { draftsOption } from '#model/schema/drafts-beside.js';
import { jsonOptions } from '#model/schema/json-options.js';
import { accountModels, fileModels, localeModels } from '#model/schema/builtin-models.js';
import { authRoutes, refreshOffRoutes, refreshRoutes } from './accounts/auth-routes.js';
import { providerRoutes } from './accounts/provider-routes.js';
import { roleRoutes } from './accounts/role-routes.js';
import { userRoutes } from './accounts/user-routes.js';
import { batchRoute } from './batch/batch-route.js';
import { contentRoutes } from './content-routes.js';
import { restDeclarations } from './declarations.js';
import { emailRoute, sendAction } from './email-route.js';
import { localeRoute } from './locale-route.js';
import { modelReadRoutes } from './model-read-routes.js';
import { cacheOption, ifMatchOption } from './type-options.js';
import { uploadRoutes } from './upload-routes.js';

/** Users, roles, permissions and logins. */
export const accounts: Feature = {
  name: 'users-permissions',
  ...restDeclarations.accounts,
  isEnabled: ({ plugins }) => plugins['users-permissions'].enabled,
  models: accountModels,
  actions: accountActions,
  routes: ({ config }) => withPrefix(config.api.rest.prefix, accountRoutes(config)),
  start: async ({ accounts: parts, backend }) => {
    await createDefaultRoles(backend.store);
    return async () => parts?.mailer.close();
  },
};

/** The media library. */
export const uploads: Feature = {
  name: 'upload',
  ...restDeclarations.uploads,
  isEnabled: ({ plugins }) => plugins.upload.enabled,
  models: fileModels,
  actions: fileActions,
  routes: ({ config }) => [...fileRoutes, ...withPrefix(config.api.rest.prefix, uploadRoutes)],
  start: (running) => void keepSweeping(mediaOf(running), running.config, running.backend.jobs),
};

/** E-mails that clients send. */
export const emails: Feature = {
  name: 'email',
  isEnabled: ({ plugins }) => plugins.email.enabled && plugins['users-permissions'].enabled,
  actions: [sendAction],
  routes: ({ config }) => withPrefix(config.api.rest.prefix, [emailRoute]),
};

/** The locales of localized content types. */
export const locales: Feature = {
  name: 'i18n',
  isEnabled: ({ plugins }) => plugins.i18n.enabled,
  models: localeModels,
  actions: ['plugin::i18n.locales.listLocales'],
  routes: ({ config }) => withPrefix(config.api.rest.prefix, [localeRoute]),
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
  routes: ({ config }) => withPrefix(config.api.rest.prefix, modelReadRoutes),
};

/** The entries of all content types, and the answers to writes with an Idempotency-Key. */
export const content: Feature = {
  name: 'content',
  ...restDeclarations.content,
  options: [keyOption, cacheOption, ifMatchOption, draftsOption, ...jsonOptions],
  routes: (parts) => {
    const routes = contentRoutes(parts.config);
    return [batchRoute(parts, routes), ...routes];
  },
};

/** Returns the routes of logins, users and roles. */
const accountRoutes = ({ plugins }: Config): readonly (Route | ContextRoute)[] => [
  ...authRoutes,
  ...(plugins['users-permissions'].config.refreshTokens.enabled ? refreshRoutes : refreshOffRoutes),
  ...providerRoutes,
  ...userRoutes,
  ...roleRoutes,
];
