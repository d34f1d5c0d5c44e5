import { createServer } from 'node:http';
import { ConfigError } from '../config/setting.js';

/** The media type of the text format 0.0.4. */
export const mediaType = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * Answers `GET /metrics` at a port of its own. Resolves, when the port is open, to the function that closes it. Rejects with a
 * ConfigError if the port is in use.
 */
export async function serveMetrics(port: number, host: string, read: () => Promise<string>): Promise<() => Promise<void>> {
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
