import type { Feature } from '../http/feature.js';
import { adminModels } from '../schema/builtin-models.js';

/** The admin API. */
export const admin: Feature = {
  name: 'admin',
  isEnabled: (config) => config.admin.enabled,
  models: adminModels,
  routes: async () => (await import('./admin-routes.js')).adminRoutes,
};
