import type { Feature } from '../http/feature.js';
import { pageRoutes } from './front-end/page-routes.js';
import { panelRoutes } from './panel-paths.js';
import { statusRoutes } from './status/status-routes.js';

/** The admin panel of Strapi v4: its back end, the pages that an operator has built, and our own pages beside them. */
export const panel: Feature = {
  name: 'panel',
  isAdmin: true,
  isEnabled: (config) => config.admin.enabled,
  routes: ({ config }) => [...panelRoutes, ...statusRoutes(config), ...pageRoutes(config)],
};
