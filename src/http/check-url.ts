import { badRequestError } from '../errors.js';
import { rawError } from './error-response.js';
import type { Middleware } from 'koa';

/** Refuses, with 400, a URL over the limit of characters, and a path whose percent-encoding is not that of a text. */
export const checkUrl =
  (urlLength: number): Middleware =>
  (ctx, next) => {
    if (ctx.url.length > urlLength) throw badRequestError(`URL is longer than ${String(urlLength)} characters`);
    if (ctx.path.includes('%') && !isDecodable(ctx.path)) throw rawError(400, 'BadRequestError', 'failed to decode');
    return next();
  };

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
