import type { Context } from 'koa';
import { notFoundError } from '../errors.js';

/** Answers paths without rows: 404 for GET, HEAD and OPTIONS, 405 for other methods. */
export function answerUnknown(ctx: Context): void {
  if (ctx.method === 'GET' || ctx.method === 'HEAD' || ctx.method === 'OPTIONS') throw notFoundError();
  answerMethod(ctx, ['HEAD', 'GET']);
}

const known: ReadonlySet<string> = new Set(['HEAD', 'OPTIONS', 'GET', 'PUT', 'PATCH', 'POST', 'DELETE']);

/**
 * Answers a method that has no row: OPTIONS with 200 and Allow, other known methods with 405 and Allow, unknown ones with 501.
 */
export function answerMethod(ctx: Context, allowed: readonly string[]): void {
  if (!known.has(ctx.method)) {
    ctx.status = 501;
    ctx.body = 'Not Implemented';
    return;
  }
  const isAsking = ctx.method === 'OPTIONS';
  ctx.status = isAsking ? 200 : 405;
  ctx.set('Allow', allowed.join(', '));
  ctx.body = isAsking ? '' : 'Method Not Allowed';
}
