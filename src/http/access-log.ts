import { randomUUID } from 'node:crypto';
import type { Middleware } from 'koa';
import type { Logger } from 'pino';

/** The contents of `ctx.state`. */
export interface RequestState {
  /** Id of the request in logs and in the X-Request-Id header. */
  requestId: string;
}

/** Sets the id of a request: its X-Request-Id if that is safe in a log, otherwise a random UUID. */
export const requestId: Middleware<RequestState> = (ctx, next) => {
  const given = ctx.req.headers['x-request-id'];
  ctx.state.requestId = typeof given === 'string' && harmless.test(given) ? given : randomUUID();
  ctx.res.setHeader('X-Request-Id', ctx.state.requestId);
  return next();
};

const harmless = /^[\w.:+/=@-]{1,128}$/;

/**
 * Logs one line per request when its answer is sent or its client has disconnected (`aborted`). The query string is omitted,
 * because it may contain tokens. Health checks are logged at level debug. `form` is an object (`fields`), or a line such as `GET
 * /api/recipes 200 24 ms` (`text`).
 */
export function accessLog(logger: Logger, form: 'fields' | 'text'): Middleware<RequestState> {
  return (ctx, next) => {
    const level = ctx.path.startsWith('/_health') ? 'debug' : 'info';
    if (!logger.isLevelEnabled(level)) return next();
    const start = performance.now();
    const { res, method, path, ip } = ctx;
    res.once('close', () => {
      const isWhole = res.writableFinished;
      if (form === 'text') {
        const text = `${method} ${path} ${String(res.statusCode)} ${elapsed(start).toFixed(0)} ms`;
        logger[level]({}, isWhole ? text : `${text}, aborted`);
        return;
      }
      const line = { requestId: ctx.state.requestId, method, path, status: res.statusCode, ms: elapsed(start), ip };
      logger[level](isWhole ? line : { ...line, aborted: true }, 'request');
    });
    return next();
  };
}

/** Returns the milliseconds since `start`, rounded to hundredths. */
const elapsed = (start: number): number => Math.round((performance.now() - start) * 100) / 100;
