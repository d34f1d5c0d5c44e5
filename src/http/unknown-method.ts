import type { Context } from 'koa';
import { notFoundError } from '../errors.js';

/** Answers paths without rows: GET and HEAD by 404, other methods by 405. */
export function answerUnknown(ctx: Context): void {
  if (ctx.method === 'GET' || ctx.method === 'HEAD' || ctx.method === 'OPTIONS') throw notFoundError();
  answerMethod(ctx, ['HEAD', 'GET']);
}

const known: ReadonlySet<string> = new Set(['HEAD', 'OPTIONS', 'GET', 'PUT', 'PATCH', 'POST', 'DELETE']);

/** 200 with Allow for OPTIONS, 405 with Allow for the usual methods, 501 for any other. */
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
