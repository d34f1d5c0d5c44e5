import helmet from 'helmet';
import type { Context, Middleware } from 'koa';
import cors from '@koa/cors';
import compress from 'koa-compress';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { constants } from 'node:zlib';
import type { MiddlewaresConfig } from '../config/config.js';

type SecurityConfig = MiddlewaresConfig['security'];

/** The security headers that Strapi v4 sends. Helmet's cross-origin and origin-agent headers stay off: other sites show the media. */
export function securityHeaders({ contentSecurityPolicy, hstsMaxAge, frame }: SecurityConfig): Middleware {
  const setHeaders = helmet({
    contentSecurityPolicy: { useDefaults: true, directives: { ...directives, ...mutable(contentSecurityPolicy) } },
    strictTransportSecurity: hstsMaxAge > 0 && { maxAge: hstsMaxAge, includeSubDomains: true },
    xFrameOptions: { action: frame === 'DENY' ? 'deny' : 'sameorigin' },
    crossOriginOpenerPolicy: false,
    crossOriginResourcePolicy: false,
    originAgentCluster: false,
    xXssProtection: false,
  });
  return (ctx, next) => {
    // The policy is fixed, so that all headers are set before this returns, and none can fail.
    setHeaders(ctx.req, ctx.res, () => undefined);
    return next();
  };
}

const directives = {
  'connect-src': ["'self'", 'https:'],
  'img-src': ["'self'", 'data:', 'blob:'],
  'media-src': ["'self'", 'data:', 'blob:'],
  'upgrade-insecure-requests': null,
};

/** The types of helmet require mutable lists. */
const mutable = (policy: SecurityConfig['contentSecurityPolicy']): Record<string, string[] | null> =>
  Object.fromEntries(Object.entries(policy).map(([name, sources]) => [name, sources && [...sources]]));

/** Settings of CORS; a function for `origin` decides for each request; an empty string means no origin. */
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
    origin: typeof origin === 'function' ? origin : allowed.has('*') ? '*' : (ctx) => listed(allowed, ctx.get('Origin')),
    credentials: credentials && !allowed.has('*'),
    allowMethods: [...methods],
    allowHeaders: [...headers],
    exposeHeaders: [...exposed, ...expose.filter((name) => !isExposed(name))],
    maxAge,
    // The error response is further in, so that nothing is thrown here.
    keepHeadersOnError: false,
  });
}

/** Headers that clients need to go on after a refusal, and to ask about one. */
const exposed = ['X-Request-Id', 'WWW-Authenticate', 'Retry-After'];
const isExposed = (name: string): boolean => exposed.some((own) => own.toLowerCase() === name.toLowerCase());

/** An empty origin leaves the CORS headers out. */
const listed = (allowed: ReadonlySet<string>, origin: string): string => (allowed.has(origin) ? origin : '');

/**
 * Compresses text answers from the threshold on, with br or gzip. koa-compress makes a stream of each; what was whole before is sent as a
 * whole again, since sending a stream takes more CPU than compressing most answers.
 */
export function compressResponse({ threshold, brotliQuality, gzipLevel }: MiddlewaresConfig['compress']): Middleware {
  const encodings = {
    br: { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } },
    gzip: { level: gzipLevel },
    deflate: false,
    // Known to the library where Node has it, not to its types.
    zstd: false,
  } as const;
  const compressor = compress({ threshold, ...encodings });
  const compressWhole: Middleware = async (ctx, next) => {
    let isWhole = false;
    await compressor(ctx, async () => {
      await next();
      isWhole = !(ctx.body instanceof Readable);
    });
    if (isWhole && ctx.body instanceof Readable) ctx.body = await buffer(ctx.body);
  };
  return (ctx, next) => {
    if (ctx.req.headers['accept-encoding'] !== undefined) return compressWhole(ctx, next);
    ctx.vary('Accept-Encoding');
    return next();
  };
}
