import type { Context } from 'koa';
import { notFoundError } from '../errors.js';

/** Answers paths without rows. Throws a NotFoundError for GET, HEAD and OPTIONS. Answers 405 to other methods. */
export function answerUnknown(ctx: Context): void {
  if (ctx.method === 'OPTIONS') throw notFoundError();
  answerMethod(ctx, []);
}

const known: ReadonlySet<string> = new Set(['HEAD', 'OPTIONS', 'GET', 'PUT', 'PATCH', 'POST', 'DELETE']);

/**
 * Answers a method that has no row, on a path with rows of other methods: OPTIONS with 200 and Allow, other known methods with 405
 * and Allow, unknown ones with 501. Throws a NotFoundError for GET and HEAD. In Strapi v4 they look for a file at every path, so
 * they are always allowed.
 */
export function answerMethod(ctx: Context, others: readonly string[]): void {
  if (ctx.method === 'GET' || ctx.method === 'HEAD') throw notFoundError();
  if (!known.has(ctx.method)) {
    ctx.status = 501;
    ctx.body = 'Not Implemented';
    return;
  }
  const isAsking = ctx.method === 'OPTIONS';
  ctx.status = isAsking ? 200 : 405;
  ctx.set('Allow', ['HEAD', 'GET', ...others.filter((method) => method !== 'GET')].join(', '));
  ctx.body = isAsking ? '' : 'Method Not Allowed';
}
