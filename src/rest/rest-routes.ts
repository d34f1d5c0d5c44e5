import { collections } from '../schema/collections.js';
import type { Config } from '../config/config.js';
import { withPrefix, type Answer, type AnyRoute, type Route, type RouteCall } from '../http/route.js';
import { readAll } from '../mongo/database.js';
import { authRoutes, refreshOffRoutes, refreshRoutes } from './accounts/auth-routes.js';
import { providerRoutes } from './accounts/provider-routes.js';
import { roleRoutes } from './accounts/role-routes.js';
import { userRoutes } from './accounts/user-routes.js';
import { contentRoutes, type ContentRoutes } from './content-routes.js';
import { modelReadRoutes } from './model-read-routes.js';
import { uploadRoutes } from './upload-routes.js';

/** Returns all routes under the API prefix: those of enabled plugins, then those of content types. */
export function restRoutes(config: Config, content: ContentRoutes = contentRoutes(config)): AnyRoute[] {
  const { i18n, upload, 'users-permissions': users } = config.plugins;
  const ofUsers = [
    ...authRoutes,
    ...(users.config.refreshTokens.enabled ? refreshRoutes : refreshOffRoutes),
    ...providerRoutes,
    ...userRoutes,
    ...roleRoutes,
  ];
  const fixed = [
    ...(upload.enabled ? uploadRoutes : []),
    ...(users.enabled ? ofUsers : []),
    ...(i18n.enabled ? [localeRoute] : []),
    ...modelReadRoutes,
  ];
  return [...withPrefix(config.api.rest.prefix, fixed), ...content.all];
}

const localeRoute: Route = {
  method: 'GET',
  path: '/i18n/locales',
  action: 'plugin::i18n.locales.listLocales',
  handle: listLocales,
};

/** Returns the locales, without envelope. */
async function listLocales({ content: { store, bind } }: RouteCall): Promise<Answer> {
  const locales = await readAll(store.database, { find: collections.locales, sort: { _id: 1 }, batchSize: 1000 });
  const body = locales.map(({ _id, name, code, createdAt, updatedAt }) => ({
    id: Number(_id),
    name: String(name),
    code: String(code),
    createdAt: createdAt as unknown,
    updatedAt: updatedAt as unknown,
    isDefault: code === bind.defaultLocale,
  }));
  return { body };
}
