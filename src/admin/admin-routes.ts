import type { AdminRoute } from './admin-call.js';
import { localeAdminRoutes } from './locale-admin-routes.js';
import { modelRoutes } from './model-routes.js';
import { roleAdminRoutes } from './role-admin-routes.js';
import { settingsRoutes } from './settings-routes.js';
import { tokenRoutes } from './token-routes.js';
import { userAdminRoutes } from './user-admin-routes.js';

/** Everything that the admin API does. */
export const adminRoutes: readonly AdminRoute[] = [
  ...modelRoutes,
  ...roleAdminRoutes,
  ...userAdminRoutes,
  ...tokenRoutes,
  ...localeAdminRoutes,
  ...settingsRoutes,
];
