import type { Feature } from '../http/feature.js';

/** The page at `/`. By default it is off in production. */
export const startPage: Feature = {
  name: 'start-page',
  isEnabled: ({ api, environment }) => api.startPage ?? environment !== 'production',
  routes: async (parts) => (await import('./start-routes.js')).startRoutes(parts),
};
