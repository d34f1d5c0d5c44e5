import { randomUUID } from 'node:crypto';
import type { Middleware } from 'koa';
import type { Observer } from '../observe/observer.js';

/** The contents of `ctx.state`. */
export interface RequestState {
  /** Id of the request in logs and in the X-Request-Id header. */
  requestId: string;
}

/** Sets the id of a request: its X-Request-Id if that is safe in a log, otherwise a random UUID. */
export const requestId: Middleware<RequestState> = (ctx, next) => {
  const given = ctx.req.headers['x-request-id'];
  ctx.state.requestId = typeof given === 'string' && harmless.test(given) ? given : randomUUID();
  ctx.res.setHeader('X-Request-Id', ctx.state.requestId);
  return next();
};

const harmless = /^[\w.:+/=@-]{1,128}$/;

/** Reports each request when its answer is sent or its client has disconnected. The query string may contain tokens, and is omitted. */
export function observeRequests(observer: Observer): Middleware<RequestState, RoutedContext> {
  return (ctx, next) => {
    if (!observer.wants('request ended')) return next();
    const start = performance.now();
    const { res, method, path, ip, state } = ctx;
    observer.observe({ kind: 'request begun', requestId: state.requestId });
    res.once('close', () => {
      const [status, ms, route] = [res.statusCode, elapsed(start), ctx._matchedRoute ?? null];
      const { requestId } = state;
      const isAborted = !res.writableFinished;
      observer.observe({ kind: 'request ended', requestId, method, path, route, status, ms, ip, isAborted });
    });
    return next();
  };
}

/** Koa's context with the path of the route, which the router sets. */
interface RoutedContext {
  readonly _matchedRoute?: string;
}

/** Returns the milliseconds since `start`, rounded to hundredths. */
const elapsed = (start: number): number => Math.round((performance.now() - start) * 100) / 100;
