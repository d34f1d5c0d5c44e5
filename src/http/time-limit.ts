import type { IncomingMessage } from 'node:http';
import type { Context, Middleware } from 'koa';
import type { ServerConfig } from '../config/config.js';
import { unavailableError } from '../errors.js';
import { rawError } from './error-response.js';

type Limits = Pick<ServerConfig, 'requestTimeout' | 'uploadTimeout'>;

/** Requests under way by what gives them the time of an upload. */
const extensions = new WeakMap<IncomingMessage, () => void>();

/** Gives a request the time of an upload, counted from its beginning. Called once its sender is known to have the right to upload. */
export function allowUploadTime(request: IncomingMessage): void {
  extensions.get(request)?.();
}

/**
 * Answers when a request takes too long: 408 if its body is still on the way, else 503. The work is not stopped, which the time
 * limit of the database does. The timer keeps no process alive.
 */
export function timeLimit({ requestTimeout, uploadTimeout }: Limits): Middleware {
  return async (ctx, next) => {
    let timer: NodeJS.Timeout | undefined;
    const expired = new Promise<never>((_, reject) => {
      const begun = performance.now();
      const setLimit = (limit: number): void => {
        clearTimeout(timer);
        timer = setTimeout(
          () => {
            reject(tooLate(ctx));
          },
          limit - (performance.now() - begun),
        ).unref();
      };
      setLimit(requestTimeout);
      extensions.set(ctx.req, () => {
        setLimit(uploadTimeout);
      });
    });
    try {
      await Promise.race([next(), expired]);
    } finally {
      clearTimeout(timer);
      extensions.delete(ctx.req);
    }
  };
}

function tooLate(ctx: Context): Error {
  if (ctx.req.complete) return unavailableError('The request took too long, please try again later');
  ctx.set('Connection', 'close');
  return rawError(408, 'RequestTimeoutError', 'Request Timeout');
}
