import Koa from 'koa';
import { answerUnknown } from './answer-route.js';
import { observeRequests, requestId, type RequestState } from './observe-requests.js';
import { admitRequests, checkUrl, requestQueue, timeLimit } from './request-limits.js';
import { compressResponse, crossOrigin, flushStreams, securityHeaders } from './koa-packages.js';
import { errorResponse } from './error-response.js';
import { countMemory } from './count-memory.js';
import { requestBody } from './request-body.js';
import { routeTable } from './route-table.js';
import { tagAnswers } from './tag-answers.js';
import type { Context, Middleware } from 'koa';
import type { Config } from '#settings/config.js';
import type { Observer } from '#base/observe/observer.js';
import type { ProjectCode } from './project-code.js';
import type { AnyRoute, PathSettings } from './route.js';
import { type Connection, notRunning } from './running.js';

/** The parts of the application. */
interface AppInput {
  readonly config: Config;
  readonly observer: Observer;
  readonly connection: Connection;
  /** The routes of all front ends. The first one whose path matches a request is used. */
  readonly routes: readonly AnyRoute[];
  /** Those of them that the port of the API answers, if the admin API has one of its own. */
  readonly publicRoutes?: readonly AnyRoute[] | null;
  /** Code of a project, whose routes have precedence; null if there is none. */
  readonly projectCode?: ProjectCode | null;
}

/** Returns the Koa application: shared middleware and the route table. */
export function createApp(input: AppInput): Koa<RequestState> {
  const { config, observer, connection, routes, publicRoutes = null, projectCode = null } = input;
  const app = new Koa<RequestState>({ proxy: config.server.proxy, maxIpsCount: config.server.proxyCount });
  app.use(requestId);
  app.use(observeRequests(observer));
  projectCode?.extend(app);
  const tableOf = (shared: Shared): Middleware => {
    const table = routeTable({ routes, connection, shared, projectCode });
    const open = publicRoutes && routeTable({ routes: publicRoutes, connection, shared, projectCode, isOpen: true });
    return open === null ? table : (ctx, next) => (isAtPort(ctx, config.admin.port) ? table : open)(ctx, next);
  };
  const inner = tableOf(() => []);
  const shared = sharedMiddleware(
    config,
    observer,
    projectCode && afterBootstrap(connection, orOtherRoute(projectCode.middleware, inner)),
  );
  app.use(tableOf(shared));
  for (const part of shared({})) app.use(part);
  app.use(answerUnknown);
  app.on('error', (err: unknown) => {
    // errors of handlers have been answered, so only sending has failed, usually because the client has disconnected
    observer.observe({ kind: 'answer not sent', err });
  });
  return app;
}

/** Returns whether a request came to a port of this service. */
const isAtPort = ({ req }: Context, port: number | null): boolean => req.socket.localPort === port;

/** Returns the middleware of a path, in order. */
type Shared = (settings: PathSettings) => Middleware[];

/** Returns a function that returns the middleware of a path, in order. Settings of the path override those of the service. */
function sharedMiddleware(config: Config, observer: Observer, codeAround: Middleware | null): Shared {
  const { cors, security, compress, body } = config.middlewares;
  const headers = security.enabled ? [securityHeaders(security)] : [];
  const otherOrigins = cors.enabled ? [crossOrigin(cors, observer)] : [];
  const compression = compress.enabled ? [compressResponse(compress)] : [];
  const events = codeAround === null ? [] : [flushStreams('events')]; // only code of projects sends events
  const [tags, errors, memory] = [tagAnswers(config.api.rest.cacheControl), errorResponse(observer), countMemory(config)];
  const [inTime, checked] = [timeLimit(config.server), checkUrl(config.api.limits.urlLength)];
  const readBody = requestBody(body);
  const queue = requestQueue(config.server);
  observer.observe({ kind: 'queue opened', name: 'requests', size: () => queue.size });
  const admit = admitRequests(queue);
  return (settings) => {
    if (settings.isBare) return [];
    return [
      ...headers,
      ...(settings.cors === undefined ? otherOrigins : [crossOrigin(settings.cors, observer)]),
      ...(settings.isUncompressed || settings.isLong ? [uncompressed] : []),
      ...compression,
      ...(settings.isLong ? [flushStreams('all')] : settings.mayLast ? [flushStreams('events')] : events),
      tags,
      settings.errorAnswer === undefined ? errors : errorResponse(observer, settings.errorAnswer),
      memory,
      settings.isLong || settings.mayLast ? timeLimit(config.server, { mayLast: true }) : inTime,
      checked,
      settings.body === undefined ? readBody : requestBody(settings.body),
      admit,
      ...(codeAround === null ? [] : [codeAround]),
    ];
  };
}

/** Returns middleware of a project, which may give a request another method or path. The inner table then answers it. */
const orOtherRoute =
  (middleware: Middleware, inner: Middleware): Middleware =>
  (ctx, next) => {
    const { method, path } = ctx;
    return middleware(ctx, () => {
      if (ctx.method === method && ctx.path === path) return next();
      return inner(ctx, () => {
        answerUnknown(ctx);
        return Promise.resolve();
      });
    });
  };

/** Returns middleware of a project that refuses requests which the code of `bootstrap` must come before. */
const afterBootstrap =
  (connection: Connection, middleware: Middleware): Middleware =>
  (ctx, next) => {
    if (connection.awaitsBootstrap && !connection.isPrepared) notRunning(unprepared);
    return middleware(ctx, next);
  };

const unprepared = 'The code of bootstrap has not run yet, please try again later';

/** Disables compression by koa-compress for one answer. */
const uncompressed: Middleware = (ctx, next) => {
  ctx.compress = false;
  return next();
};
