import { takeForm } from './compressed-forms.js';
import { sendLive } from './live-body.js';
import helmet from 'helmet';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context, Middleware } from 'koa';
import cors from '@koa/cors';
import compress from 'koa-compress';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { constants } from 'node:zlib';
import type { MiddlewaresConfig } from '#settings/config.js';
import type { Observer } from '#base/observe/observer.js';

type SecurityConfig = MiddlewaresConfig['security'];

/**
 * Sets the security headers of Strapi v4. Those that only matter for documents are not sent with JSON, which browsers do not
 * interpret, and do not replace those that an answer sets itself.
 */
export function securityHeaders(config: SecurityConfig): Middleware {
  const all = helmetHeaders(config);
  const always = all.filter(([name]) => ofEveryAnswer.has(name));
  const ofDocuments = all.filter(([name]) => !ofEveryAnswer.has(name));
  return async ({ res }, next) => {
    for (const [name, value] of always) res.setHeader(name, value);
    await next();
    const type = res.getHeader('Content-Type');
    if (res.headersSent || type === undefined || /^application\/([\w.-]+\+)?json\b/i.test(String(type))) return;
    for (const [name, value] of ofDocuments) if (!res.hasHeader(name)) res.setHeader(name, value);
  };
}

/** Headers that protect JSON too: from being read as another type, over HTTP, and in a frame of another site. */
const ofEveryAnswer: ReadonlySet<string> = new Set(['X-Content-Type-Options', 'Strict-Transport-Security', 'X-Frame-Options']);

/**
 * Returns the headers of helmet, which are the same for all answers. The cross-origin and origin-agent headers are off, so that
 * other sites can show the media.
 */
function helmetHeaders({ contentSecurityPolicy, hstsMaxAge, frame }: SecurityConfig): readonly (readonly [string, string])[] {
  const setHeaders = helmet({
    contentSecurityPolicy: { useDefaults: true, directives: { ...directives, ...mutable(contentSecurityPolicy) } },
    strictTransportSecurity: hstsMaxAge > 0 && { maxAge: hstsMaxAge, includeSubDomains: true },
    xFrameOptions: { action: frame === 'DENY' ? 'deny' : 'sameorigin' },
    crossOriginOpenerPolicy: false,
    crossOriginResourcePolicy: false,
    originAgentCluster: false,
    xPoweredBy: false,
    xXssProtection: false,
  });
  const set: (readonly [string, string])[] = [];
  const answer = { setHeader: (name: string, value: string) => set.push([name, value]), removeHeader: () => undefined };
  // helmet only calls these methods; the policy is static, so that it does so synchronously and cannot fail
  setHeaders({} as IncomingMessage, answer as unknown as ServerResponse, () => undefined);
  return set;
}

const directives = {
  'connect-src': ["'self'", 'https:'],
  'img-src': ["'self'", 'data:', 'blob:'],
  'media-src': ["'self'", 'data:', 'blob:'],
  'upgrade-insecure-requests': null,
};

/** Returns a mutable copy, which the types of helmet require. */
const mutable = (policy: SecurityConfig['contentSecurityPolicy']): Record<string, string[] | null> =>
  Object.fromEntries(Object.entries(policy).map(([name, sources]) => [name, sources && [...sources]]));

/** Settings of CORS. */
export type CorsSettings = Omit<MiddlewaresConfig['cors'], 'enabled'>;

/** Returns the origin that may read the answer to a request: `*` for all, an empty string for none. */
type Decide = (ctx: Context) => string | Promise<string>;

/**
 * Sets CORS headers. The answer names an origin only if the configuration lists it, or its function returns it. If everybody is
 * allowed, it is `*`, with which browsers send no cookies. The configuration refuses `*` with credentials.
 */
export function crossOrigin(settings: CorsSettings, observer: Observer): Middleware {
  const { credentials, methods, headers, expose, maxAge } = settings;
  const decided = new WeakMap<Context, string>();
  const decide = decideOrigin(settings, observer);
  return cors({
    origin: async (ctx) => {
      const origin = await decide(ctx);
      decided.set(ctx, origin);
      return origin;
    },
    credentials: (ctx) => credentials && decided.get(ctx) !== '*',
    allowMethods: methods.includes('*') ? allMethods : [...methods],
    ...(!headers.includes('*') && { allowHeaders: [...new Set([...headers, ...accepted])] }), // without it, those that the request names
    exposeHeaders: [...corsExposedHeaders, ...expose.filter((name) => !isExposed(name))],
    maxAge,
    // errors are caught further in, so none reaches this middleware
    keepHeadersOnError: false,
  });
}

const allMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

/** Returns a function that decides about origins. A function of the configuration that fails, or returns no text, allows none. */
function decideOrigin({ origin }: CorsSettings, observer: Observer): Decide {
  if (typeof origin !== 'function') {
    const allowed = new Set([origin].flat());
    return allowed.has('*') ? () => '*' : (ctx) => listed(allowed, ctx.get('Origin'));
  }
  return async (ctx) => {
    try {
      const chosen: unknown = await origin(ctx);
      return typeof chosen === 'string' && /^[\x21-\x7e]*$/.test(chosen) ? chosen : '';
    } catch (err) {
      observer.observe({ kind: 'failed', work: 'cors origin', err });
      return '';
    }
  };
}

/** Headers that browsers may send, whatever the configuration lists: they make a write safer and give no right. */
const accepted = ['If-Match', 'If-None-Match', 'Idempotency-Key', 'Idempotency-Repeat', 'X-Preview-Token'];

/** Headers that browsers may read, whatever the configuration lists. Clients retry and repeat requests by them, or report their id. */
export const corsExposedHeaders: readonly string[] = [
  ...['X-Request-Id', 'WWW-Authenticate', 'Retry-After', 'Idempotency-Replayed', 'ETag'],
  ...['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Sync-Position', 'Age', 'Cache-Status'],
];
const isExposed = (name: string): boolean => corsExposedHeaders.some((own) => own.toLowerCase() === name.toLowerCase());

/** Returns the origin if it is allowed, otherwise an empty string, which omits the CORS headers. */
const listed = (allowed: ReadonlySet<string>, origin: string): string => (allowed.has(origin) ? origin : '');

/** The type of server-sent events, which clients read one by one. */
const eventStream = 'text/event-stream';

/** Sends the headers of a stream, or only of one of events, before its first bytes, so that clients know that they are connected. */
export const flushStreams =
  (which: 'all' | 'events'): Middleware =>
  async (ctx, next) => {
    await next();
    if (sendLive(ctx)) return;
    if (which === 'all' || ctx.type === eventStream) ctx.res.once('pipe', () => ctx.res.flushHeaders());
  };

/**
 * Compresses text answers of at least `threshold` bytes with br or gzip. koa-compress makes each body a stream. A body that was
 * whole is sent as a whole again, because sending a stream takes more CPU than compressing most answers. Events are not compressed,
 * because the compression would hold them back. An answer from memory is compressed once.
 */
export function compressResponse({ threshold, brotliQuality, gzipLevel }: MiddlewaresConfig['compress']): Middleware {
  const encodings = {
    br: { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } },
    gzip: { level: gzipLevel },
    deflate: false,
    // supported by the library if Node has it, but missing in its types
    zstd: false,
  } as const;
  const compressor = compress({ threshold, ...encodings });
  const compressWhole: Middleware = async (ctx, next) => {
    const whole: { keep?: ReturnType<typeof takeForm> } = {};
    await compressor(ctx, async () => {
      await next();
      if (ctx.type === eventStream) ctx.compress = false;
      if (!(ctx.body instanceof Readable)) whole.keep = ctx.compress === false ? null : takeForm(ctx);
    });
    if (whole.keep === undefined || !(ctx.body instanceof Readable)) return;
    const bytes = await buffer(ctx.body);
    ctx.body = bytes;
    whole.keep?.(bytes);
  };
  return (ctx, next) => {
    if (ctx.req.headers['accept-encoding'] !== undefined) return compressWhole(ctx, next);
    ctx.vary('Accept-Encoding');
    return next();
  };
}
