import { memoize } from '../caches.js';
import type { Config } from '../config/config.js';
import type { Feature } from '../http/feature.js';
import { text } from '../http/json-schema.js';
import type { Route } from '../http/route.js';
import type { Running } from '../http/running.js';
import type { Metrics } from './metrics.js';
import { mediaType, serveMetrics } from './serve-metrics.js';
import { metricsSettings as settings, placeOfMetrics } from './settings.js';

/** The metrics of a service by its settings. The package is loaded only if there are any, because it takes 15 MB and 50 ms. */
const metricsOf: (server: Config['server']) => Promise<Metrics> = memoize(() => createMetrics());

async function createMetrics(): Promise<Metrics> {
  const { Metrics } = await import('./metrics.js');
  return new Metrics();
}

const readMetrics = async (running: Running): Promise<string> => {
  const metrics = await metricsOf(running.config.server);
  return metrics.print(running);
};

const route: Route = {
  method: 'GET',
  path: '/metrics',
  action: 'admin',
  operation: {
    id: 'metrics',
    summary: 'Read the metrics of this process',
    tag: 'Health',
    answers: { 200: { description: 'Metrics in the text format of Prometheus', content: { 'text/plain': text } } },
  },
  handle: async ({ running }) => ({ headers: { 'Content-Type': mediaType }, body: await readMetrics(running) }),
};

/** Metrics of the service in the text format of Prometheus. */
export const metrics: Feature = {
  name: 'metrics',
  settings: { server: settings },
  observes: (config) => (placeOfMetrics(config) === null ? null : metricsOf(config.server).then((metrics) => metrics.consumer)),
  routes: ({ config }) => (placeOfMetrics(config) === 'token' ? [route] : []),
  start: (running) => {
    const place = placeOfMetrics(running.config);
    return place === null || place === 'token'
      ? undefined
      : serveMetrics(place.port, running.config.server.host, () => readMetrics(running));
  },
};
