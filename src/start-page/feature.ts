import type { Feature } from '../http/feature.js';
import { startRoutes } from './start-routes.js';

/** The page at `/`. By default it is off in production. */
export const startPage: Feature = {
  name: 'start-page',
  isEnabled: ({ api, environment }) => api.startPage ?? environment !== 'production',
  routes: startRoutes,
};
