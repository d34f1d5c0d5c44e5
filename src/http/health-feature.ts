import type { Feature } from './feature.js';

/** Tells load balancers whether the service runs, and whether it is ready. */
export const health: Feature = {
  name: 'health',
  routes: async () => (await import('./health.js')).healthRoutes(),
};
