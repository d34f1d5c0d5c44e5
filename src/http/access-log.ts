import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import type { RequestState } from './request-id.js';

/**
 * One line per request, when its answer is sent or its client is gone (`aborted`). Without the query string: it may hold
 * tokens. Health checks are logged at debug.
 */
export function accessLog(logger: Logger): Middleware<RequestState> {
  return (ctx, next) => {
    const level = ctx.path.startsWith('/_health') ? 'debug' : 'info';
    if (!logger.isLevelEnabled(level)) return next();
    const start = performance.now();
    const { res, method, path, ip } = ctx;
    res.once('close', () => {
      const line = { requestId: ctx.state.requestId, method, path, status: res.statusCode, ms: elapsed(start), ip };
      logger[level](res.writableFinished ? line : { ...line, aborted: true }, 'request');
    });
    return next();
  };
}

/** Milliseconds, to the hundredth. */
const elapsed = (start: number): number => Math.round((performance.now() - start) * 100) / 100;
