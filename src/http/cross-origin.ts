import cors from '@koa/cors';
import type { Context, Middleware } from 'koa';
import type { MiddlewaresConfig } from '../config/config.js';

/** Settings of CORS; a function for `origin` decides for each request; an empty text is no origin at all. */
export type CorsSettings = Omit<MiddlewaresConfig['cors'], 'origin' | 'enabled'> & {
  readonly origin: MiddlewaresConfig['cors']['origin'] | ((ctx: Context) => string) | ((ctx: Context) => PromiseLike<string>);
};

/**
 * CORS. An origin is named in the answer only if the configuration lists it; for everybody it is `*`, which no browser sends
 * cookies to (the configuration refuses `*` with credentials).
 */
export function crossOrigin({ origin, credentials, methods, headers, expose, maxAge }: CorsSettings): Middleware {
  const allowed = new Set(typeof origin === 'function' ? [] : [origin].flat());
  return cors({
    origin:
      typeof origin === 'function' ? origin : (ctx: Context) => (allowed.has('*') ? '*' : listed(allowed, ctx.get('Origin'))),
    credentials: credentials && !allowed.has('*'),
    allowMethods: [...methods],
    allowHeaders: [...headers],
    exposeHeaders: [...expose],
    maxAge,
    // The error exit is further in, so that nothing is thrown past this point.
    keepHeadersOnError: false,
  });
}

/** No origin at all: nothing is said about CORS. */
const listed = (allowed: ReadonlySet<string>, origin: string): string => (allowed.has(origin) ? origin : '');
