import type { Feature } from './feature.js';
import { healthRoutes } from './health.js';

/** Tells load balancers whether the service runs, and whether it is ready. */
export const health: Feature = {
  name: 'health',
  routes: () => healthRoutes(),
};
