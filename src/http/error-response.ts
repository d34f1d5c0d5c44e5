import { ApiError, notFoundError } from '../errors.js';
import { envelopeError } from './error-envelope.js';
import type { Context, Middleware } from 'koa';
import type { Logger } from 'pino';
import type { RequestState } from './access-log.js';

/**
 * The one exit for errors: whatever is thrown further in is answered in the error envelope, and a request that nobody answered
 * by 404. Bugs are logged with their stack. Headers that were set on the way stay.
 */
export function errorResponse(logger: Logger): Middleware<RequestState> {
  return async (ctx, next) => {
    try {
      await next();
      if (ctx.status === 404 && ctx.body === undefined && ctx.respond !== false) answer(ctx, notFoundError());
    } catch (thrown) {
      if (isBug(thrown))
        logger.error({ requestId: ctx.state.requestId, method: ctx.method, path: ctx.path, err: thrown }, 'request failed');
      answer(ctx, thrown);
    }
  };
}

const isBug = (thrown: unknown): boolean => !(thrown instanceof ApiError) && envelopeError(thrown).error.status === 500;

function answer(ctx: Context, thrown: unknown): void {
  const body = envelopeError(thrown);
  ctx.status = body.error.status;
  if (thrown instanceof ApiError) ctx.set(thrown.headers);
  if (body.error.status === 503 && !ctx.response.get('Retry-After')) ctx.set('Retry-After', '1');
  ctx.type = 'application/json';
  ctx.body = JSON.stringify(body);
}
