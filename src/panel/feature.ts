import type { Feature } from '../http/feature.js';
import { pageRoutes } from './front-end/page-routes.js';
import { panelRoutes } from './panel-routes.js';

/** The admin panel of Strapi v4: its back end, and the pages that an operator has built. */
export const panel: Feature = {
  name: 'panel',
  isEnabled: (config) => config.admin.enabled,
  routes: ({ config }) => [...panelRoutes, ...pageRoutes(config)],
};
