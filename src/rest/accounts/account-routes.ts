import type { Config } from '../../config/config.js';
import type { ContextRoute, Route } from '../../http/route.js';
import { authRoutes, refreshOffRoutes, refreshRoutes } from './auth-routes.js';
import { providerRoutes } from './provider-routes.js';
import { roleRoutes } from './role-routes.js';
import { userRoutes } from './user-routes.js';

/** Returns the routes of logins, users and roles. */
export const accountRoutes = ({ plugins }: Config): readonly (Route | ContextRoute)[] => [
  ...authRoutes,
  ...(plugins['users-permissions'].config.refreshTokens.enabled ? refreshRoutes : refreshOffRoutes),
  ...providerRoutes,
  ...userRoutes,
  ...roleRoutes,
];
