import cors from '@koa/cors';
import type { Context, Middleware } from 'koa';
import type { MiddlewaresConfig } from '../config/config.js';

/**
 * CORS. An origin is named in the answer only if the configuration lists it; for everybody it is `*`, which no browser sends
 * cookies to (the configuration refuses `*` with credentials).
 */
export function crossOrigin({ origin, credentials, methods, headers, expose, maxAge }: MiddlewaresConfig['cors']): Middleware {
  const allowed = new Set([origin].flat());
  return cors({
    origin: (ctx: Context) => (allowed.has('*') ? '*' : listed(allowed, ctx.get('Origin'))),
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
