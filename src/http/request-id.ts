import { randomUUID } from 'node:crypto';
import type { Middleware } from 'koa';
import type { RequestState } from './request-state.js';

/** Gives every request an id: the X-Request-Id it came with, if that is harmless in a log, else a random UUID. */
export const requestId: Middleware<RequestState> = (ctx, next) => {
  const given = ctx.req.headers['x-request-id'];
  ctx.state.requestId = typeof given === 'string' && harmless.test(given) ? given : randomUUID();
  ctx.res.setHeader('X-Request-Id', ctx.state.requestId);
  return next();
};

const harmless = /^[\w.:+/=@-]{1,128}$/;
