import type { Closing, Feature } from '#http/feature.js';
import type { Running } from '#http/running.js';
import { startSync } from './start-sync.js';
import { syncRoutes } from './sync-routes.js';
import { syncSettings } from './sync-settings.js';

/** Copies of entries that clients keep, and hear of their changes. */
export const sync: Feature = {
  name: 'sync',
  settings: syncSettings,
  routes: ({ config }) => syncRoutes(config),
  start: (running: Running): Promise<Closing> => Promise.resolve(startSync(running)),
};
