import type { Middleware } from 'koa';
import type { Config } from '../config/config.js';
import type { Gate } from '../http/create-gate.js';
import { authRoutes, refreshRoutes } from './accounts/auth-routes.js';
import { providerRoutes } from './accounts/provider-routes.js';
import { roleRoutes } from './accounts/role-routes.js';
import { userRoutes } from './accounts/user-routes.js';
import { modelReadRoutes } from './model-read-routes.js';
import { localeRoutes } from './locale-routes.js';
import { pluginRoutes } from './plugin-routes.js';

/** The routes of users, roles, locales and models, those of the parts that are switched on. */
export function createPluginRoutes(config: Config, gate: Gate): Middleware {
  const { i18n, 'users-permissions': users } = config.plugins;
  const ofUsers = [
    ...authRoutes,
    ...(users.config.refreshTokens.enabled ? refreshRoutes : []),
    ...providerRoutes,
    ...userRoutes,
    ...roleRoutes,
  ];
  const routes = [...(users.enabled ? ofUsers : []), ...(i18n.enabled ? localeRoutes : []), ...modelReadRoutes];
  return pluginRoutes(config.api.rest.prefix, routes, gate);
}
