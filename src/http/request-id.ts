import { randomUUID } from 'node:crypto';
import type { Middleware } from 'koa';

/** What every request carries from the first middleware on, in `ctx.state`. */
export interface RequestState {
  /** Names the request in logs and in the X-Request-Id header. */
  requestId: string;
}

/** Gives every request an id: the X-Request-Id it came with, if that is harmless in a log, else a random UUID. */
export const requestId: Middleware<RequestState> = (ctx, next) => {
  const given = ctx.req.headers['x-request-id'];
  ctx.state.requestId = typeof given === 'string' && harmless.test(given) ? given : randomUUID();
  ctx.res.setHeader('X-Request-Id', ctx.state.requestId);
  return next();
};

const harmless = /^[\w.:+/=@-]{1,128}$/;
