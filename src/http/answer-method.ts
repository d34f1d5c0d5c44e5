import type { Context } from 'koa';

const known: ReadonlySet<string> = new Set(['HEAD', 'OPTIONS', 'GET', 'PUT', 'PATCH', 'POST', 'DELETE']);

/**
 * The answer of a path to a method that it has no action for: 200 with Allow for OPTIONS, 405 with Allow for the usual methods, 501
 * for any other (rest.md 2.2). `allowed`: in the order in which Allow names them, `['HEAD', 'GET', 'POST']`.
 */
export function answerMethod(ctx: Context, allowed: readonly string[]): void {
  if (!known.has(ctx.method)) {
    ctx.status = 501;
    ctx.body = 'Not Implemented';
    return;
  }
  ctx.status = ctx.method === 'OPTIONS' ? 200 : 405;
  ctx.set('Allow', allowed.join(', '));
  ctx.body = ctx.method === 'OPTIONS' ? '' : 'Method Not Allowed';
}
