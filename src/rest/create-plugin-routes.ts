import type { Middleware } from 'koa';
import type { Accounts } from '../accounts/accounts.js';
import type { Config } from '../config/config.js';
import type { Gate } from '../http/create-gate.js';
import { authRoutes, refreshRoutes } from './accounts/auth-routes.js';
import { providerRoutes } from './accounts/provider-routes.js';
import { roleRoutes } from './accounts/role-routes.js';
import { userRoutes } from './accounts/user-routes.js';
import type { Backend } from '../mongo/open-backend.js';
import { modelReadRoutes } from './model-read-routes.js';
import { localeRoutes } from './locale-routes.js';
import { pluginRoutes } from './plugin-routes.js';

export interface PluginParts {
  readonly gate: Gate;
  readonly backend: () => Backend;
  readonly accounts: () => Accounts;
}

/** The routes of users, roles, locales and models, those of the parts that are switched on. */
export function createPluginRoutes(config: Config, { gate, backend, accounts }: PluginParts): Middleware {
  const { i18n, 'users-permissions': users } = config.plugins;
  const ofUsers = [
    ...authRoutes(accounts),
    ...(users.config.refreshTokens.enabled ? refreshRoutes(accounts) : []),
    ...providerRoutes(accounts),
    ...userRoutes(accounts),
    ...roleRoutes(accounts),
  ];
  const routes = [...(users.enabled ? ofUsers : []), ...(i18n.enabled ? localeRoutes : []), ...modelReadRoutes(backend)];
  return pluginRoutes(config.api.rest.prefix, routes, gate);
}
