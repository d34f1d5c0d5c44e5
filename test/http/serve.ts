import { connect } from 'node:net';
import { Writable } from 'node:stream';
import { createConfig, type PartialConfig } from '#settings/create-config.js';
import { createApp } from '#http/create-app.js';
import { healthRoutes, type Check } from '#http/health.js';
import { Connection, type RunningService } from '#http/running.js';
import { type Access, fullAccess } from '#model/query/access.js';
import { createLogger, createObserver } from '#http/create-logger.js';
import { startHttpServer } from '#http/start-http-server.js';
import type { Middleware } from 'koa';
import type { Config } from '#settings/config.js';
import type { AnyRoute, ContextRoute } from '#http/route.js';
import type { HttpServer } from '#http/start-http-server.js';

/** The options of a served test. */
export interface ServeInput {
  /** Answers all paths that `routes` leave. */
  readonly route?: Middleware;
  readonly routes?: readonly AnyRoute[];
  /** The running service; by default the parts that rows for everybody need. */
  readonly running?: RunningService;
  readonly connection?: Connection;
  readonly checks?: Readonly<Record<string, Check>>;
  readonly config?: PartialConfig;
}

export interface Served extends HttpServer {
  /** What the server logged, decoded, in order. */
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  /** Resolves with the first line that meets the condition, once it is logged. */
  waitForLine(condition: (line: Readonly<Record<string, unknown>>) => boolean): Promise<Readonly<Record<string, unknown>>>;
}

/** The whole HTTP layer on a free port. */
export async function serve(input: ServeInput = {}): Promise<Served> {
  const { server: place, middlewares, ...rest } = input.config ?? {};
  const config = createConfig({
    ...rest,
    server: { host: '127.0.0.1', port: 0, ...place },
    middlewares: { logger: { level: 'debug', pretty: false }, ...middlewares },
  });
  const log = createLog();
  const connection = input.connection ?? new Connection();
  if (input.connection === undefined) connection.running = input.running ?? openTo(config);
  const routes = [...(input.routes ?? []), ...healthRoutes(input.checks ?? {}), ...(input.route ? [adapt(input.route)] : [])];
  const app = createApp({ config, observer: createObserver(config, await createLogger(config, log.target)), connection, routes });
  const server = await startHttpServer(app.callback(), config.server);
  return { ...server, lines: log.lines, waitForLine: log.waitForLine };
}

/** A running service without content whose callers have these rights. */
export const openTo = (config: Config, access: Access = fullAccess): RunningService =>
  ({
    config,
    source: {
      store: { database: { maxTimeMS: config.database.maxTimeMS } },
      models: { snapshot: { registry: null, locales: { codes: [], default: 'en' } } },
    },
    authenticator: {
      authenticate: () => Promise.resolve({ kind: 'public', access, publicRoleIsEmpty: false, ended: null }),
    },
    attempts: null,
    explainRefusal: () => undefined,
    limiter: null,
  }) as unknown as RunningService; // the rest is not reached

const adapt = (route: Middleware): ContextRoute => ({
  method: 'ALL',
  path: '/{*path}',
  action: 'anybody',
  handleContext: async (ctx) => {
    await route(ctx, () => Promise.resolve());
    return null;
  },
});

function createLog() {
  const lines: Readonly<Record<string, unknown>>[] = [];
  const waiting = new Set<() => void>();
  const target = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)) as Readonly<Record<string, unknown>>);
      for (const look of waiting) look();
      done();
    },
  });
  const waitForLine: Served['waitForLine'] = (condition) =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = lines.find(condition);
        if (found) resolve(found);
        if (found) waiting.delete(look);
      };
      waiting.add(look);
      look();
    });
  return { lines, target, waitForLine };
}

/** Sends raw bytes, and returns everything that comes back until the server ends the connection. */
export function sendRaw(port: number, ...parts: readonly (string | Buffer)[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => (answer += chunk));
    socket.on('end', () => {
      socket.end();
      resolve(answer);
    });
    socket.on('error', reject);
    for (const part of parts) socket.write(part);
  });
}
