import compress from 'koa-compress';
import { constants } from 'node:zlib';
import type { Context, Middleware, Next } from 'koa';
import type { MiddlewaresConfig } from '../config/config.js';

/** Compresses texts from the threshold on, with br or gzip. */
export function compressResponse({ threshold, brotliQuality, gzipLevel }: MiddlewaresConfig['compress']): Middleware {
  const encodings = {
    br: { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } },
    gzip: { level: gzipLevel },
    deflate: false,
    // Known to the library where Node has it, not to its types.
    zstd: false,
  } as const;
  const compressor = compress({ threshold, ...encodings });
  return (ctx, next) => {
    if (ctx.req.headers['accept-encoding'] !== undefined) return compressor(ctx, () => serialized(ctx, next));
    ctx.vary('Accept-Encoding');
    return next();
  };
}

/** Koa and the library both turn objects into JSON only to learn how long they are: once is enough. */
async function serialized(ctx: Context, next: Next): Promise<void> {
  await next();
  const { body } = ctx;
  if (Array.isArray(body) || (typeof body === 'object' && body !== null && Object.getPrototypeOf(body) === Object.prototype))
    ctx.body = JSON.stringify(body);
}
