import { createServer } from 'node:http';
import { memoize } from '#base/caches.js';
import type { Config } from '#settings/config.js';
import { ConfigError } from '#settings/setting.js';
import type { Feature } from '#http/feature.js';
import { text } from '#http/json-schema.js';
import type { Route } from '#http/route.js';
import type { RunningService } from '#http/running.js';
import type { Metrics } from './metrics.js';
import { metricsSettings as settings, placeOfMetrics } from './settings.js';

/** The metrics of a service by its settings. The package is loaded only if there are any, because it takes 15 MB and 50 ms. */
const metricsOf: (server: Config['server']) => Promise<Metrics> = memoize(() => createMetrics());

async function createMetrics(): Promise<Metrics> {
  const { Metrics } = await import('./metrics.js');
  return new Metrics();
}

const readMetrics = async (running: RunningService): Promise<string> => {
  const metrics = await metricsOf(running.config.server);
  return metrics.print(running);
};

/** The media type of the text format 0.0.4. */
const mediaType = 'text/plain; version=0.0.4; charset=utf-8';

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

/**
 * Answers `GET /metrics` at a port of its own. Resolves, when the port is open, to the function that closes it. Rejects with a
 * ConfigError if the port is in use.
 */
async function serveMetrics(port: number, host: string, read: () => Promise<string>): Promise<() => Promise<void>> {
  const server = createServer((request, response) => {
    const isKnown = request.url?.split('?', 1)[0] === '/metrics';
    if (!isKnown || (request.method !== 'GET' && request.method !== 'HEAD')) {
      response.writeHead(isKnown ? 405 : 404).end();
      return;
    }
    read().then(
      (body) => response.writeHead(200, { 'Content-Type': mediaType }).end(body),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      reject(new ConfigError(`server.metrics: port ${String(port)} cannot be opened: ${error.message}`, { cause: error }));
    });
    server.listen(port, host, resolve);
  });
  return () =>
    new Promise((resolve) => {
      server.close(() => {
        resolve();
      });
      server.closeAllConnections();
    });
}
