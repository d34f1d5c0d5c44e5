import { unavailableError } from '../errors.js';
import { rawError } from './raw-error.js';
import type { Context, Middleware } from 'koa';
import type { ServerConfig } from '../config/config.js';

type Limits = Pick<ServerConfig, 'requestTimeout' | 'uploadTimeout'>;

/**
 * Answers when a request takes too long: 408 while its body is still on the way, 503 after that. What it was doing is not stopped;
 * that is the business of the database's own limit. The timer keeps no process alive.
 */
export function timeLimit({ requestTimeout, uploadTimeout }: Limits): Middleware {
  return async (ctx, next) => {
    let timer: NodeJS.Timeout | undefined;
    const expired = new Promise<never>((_, reject) => {
      const limit = isMultipart(ctx) ? uploadTimeout : requestTimeout;
      timer = setTimeout(() => {
        reject(tooLate(ctx));
      }, limit).unref();
    });
    try {
      await Promise.race([next(), expired]);
    } finally {
      clearTimeout(timer);
    }
  };
}

const isMultipart = (ctx: Context): boolean => ctx.req.headers['content-type']?.startsWith('multipart/') ?? false;

function tooLate(ctx: Context): Error {
  if (ctx.req.complete) return unavailableError('The request took too long, please try again later');
  ctx.set('Connection', 'close');
  return rawError(408, 'RequestTimeoutError', 'Request Timeout');
}
