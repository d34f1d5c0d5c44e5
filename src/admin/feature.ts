import type { Feature } from '../http/feature.js';
import { adminModels } from '../schema/builtin-models.js';
import { adminRoutes } from './admin-routes.js';

/** The admin API. */
export const admin: Feature = {
  name: 'admin',
  isEnabled: (config) => config.admin.enabled,
  models: adminModels,
  routes: () => adminRoutes,
};
