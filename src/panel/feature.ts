import type { Feature } from '../http/feature.js';
import { panelRoutes } from './panel-routes.js';

/** The back end of the admin panel of Strapi v4. */
export const panel: Feature = {
  name: 'panel',
  isEnabled: (config) => config.admin.enabled,
  routes: () => panelRoutes,
};
