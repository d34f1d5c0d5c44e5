import { randomUUID } from 'node:crypto';
import type { Middleware } from 'koa';
import type { TraceHeaders, TraceLink } from '#base/observe/trace-link.js';
import type { Observer } from '#base/observe/observer.js';

/** The contents of `ctx.state`. */
export interface RequestState {
  /** Id of the request in logs and in the X-Request-Id header. */
  requestId: string;
  /** The name in the path of a route for all content types, if there is such a type. */
  typeName?: string | undefined;
  /** Headers that tell other services of the trace of the request, if there is one. */
  trace?: TraceHeaders;
}

/** Sets the id of a request: its X-Request-Id if that is safe in a log, otherwise a random UUID. */
export const requestId: Middleware<RequestState> = (ctx, next) => {
  const clientId = ctx.req.headers['x-request-id'];
  ctx.state.requestId = typeof clientId === 'string' && harmless.test(clientId) ? clientId : randomUUID();
  ctx.res.setHeader('X-Request-Id', ctx.state.requestId);
  return next();
};

const harmless = /^[\w.:+/=@-]{1,128}$/;

/** Reports each request when its answer is sent or its client has disconnected. The query string may contain tokens, and is omitted. */
export function observeRequests(observer: Observer): Middleware<RequestState, RoutedContext> {
  return (ctx, next) => {
    if (!observer.hasConsumer('request ended')) return next();
    const start = performance.now();
    const { res, method, path, ip, state } = ctx;
    const link: TraceLink = {};
    observer.observe({ kind: 'request begun', requestId: state.requestId, method, path, headers: ctx.req.headers, link });
    if (link.headers !== undefined) state.trace = link.headers;
    res.once('close', () => {
      const isAborted = !res.writableFinished;
      const status = isAborted && !res.headersSent ? clientClosed : res.statusCode;
      const [ms, route, { requestId }] = [elapsed(start), routeOf(ctx), state];
      observer.observe({ kind: 'request ended', requestId, method, path, route, status, ms, ip, link, isAborted });
    });
    return link.around === undefined ? next() : link.around(next);
  };
}

/** The status that is reported if the client has disconnected before an answer began, as by nginx. Nobody receives it. */
const clientClosed = 499;

/** Returns the path of the route, with the name of the content type if it has a place for that; null if no router has found one. */
function routeOf({ _matchedRoute: route, state }: RoutedContext & { readonly state: RequestState }): string | null {
  if (route === undefined) return null;
  return state.typeName === undefined ? route : route.replace(':name', state.typeName);
}

/** Koa's context with the path of the route, which the router sets. */
interface RoutedContext {
  readonly _matchedRoute?: string;
}

/** Returns the milliseconds since `start`, rounded to hundredths. */
const elapsed = (start: number): number => Math.round((performance.now() - start) * 100) / 100;
