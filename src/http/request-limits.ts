import type { Middleware, Context } from 'koa';
import type { IncomingMessage } from 'node:http';
import { badRequestError, unavailableError } from '../errors.js';
import { Clock } from '../limits/clock.js';
import { rawError } from './error-response.js';
import { isMultipart } from './request-body.js';
import type { ServerConfig } from '../config/config.js';
import { isDecodable } from '../values.js';

/** Throws a 400 for a URL that is too long, and for a path whose percent-encoding is not valid UTF-8. */
export const checkUrl =
  (urlLength: number): Middleware =>
  (ctx, next) => {
    const { url = '' } = ctx.req;
    if (url.length > urlLength) throw badRequestError(`URL is longer than ${String(urlLength)} characters`);
    if (url.includes('%') && !isDecodable(ctx.path)) throw rawError(400, 'BadRequestError', 'failed to decode');
    return next();
  };

type Limits = Pick<ServerConfig, 'requestTimeout' | 'uploadTimeout'>;

/** Functions that change the time limit, by the request of a multipart body or a long answer. */
const limits = new WeakMap<IncomingMessage, (limit: 'of uploads' | 'none') => void>();

/**
 * Gives a request the time limit of uploads, counted from its beginning. Called when the caller is known to have the right to
 * upload.
 */
export function allowUploadTime(request: IncomingMessage): void {
  limits.get(request)?.('of uploads');
}

/** Ends the time limit of a request on a path of long answers. */
export function endTimeLimit(request: IncomingMessage): void {
  limits.get(request)?.('none');
  limits.delete(request);
}

/**
 * Answers a request that takes too long: with 408 if its body is incomplete, otherwise with 503. The work itself is stopped by
 * the time limit of the database. The timer does not keep the process alive.
 */
export function timeLimit({ requestTimeout, uploadTimeout }: Limits, { isLong }: { readonly isLong?: true } = {}): Middleware {
  return (ctx, next) => {
    const begun = performance.now();
    const clock = new Clock();
    const lateness = { late: () => tooLate(ctx) };
    clock.allow(requestTimeout, lateness);
    if (isLong === true || isMultipart(ctx))
      limits.set(ctx.req, (limit) => {
        if (limit === 'none') clock.stop();
        else clock.allow(uploadTimeout - (performance.now() - begun), lateness);
      });
    return clock.race(next());
  };
}

function tooLate(ctx: Context): Error {
  if (ctx.req.complete) return unavailableError('The request took too long, please try again later');
  ctx.set('Connection', 'close');
  return rawError(408, 'RequestTimeoutError', 'Request Timeout');
}
