import type { Context } from 'koa';
import { connectionClosed } from '../limits/clock.js';
import { leavePlace } from './admit-requests.js';
import { endTimeLimit } from './request-limits.js';
import { type Connection, notRunning } from './running.js';

/**
 * Lets the answer to a request take long: the request leaves the queue, and its time limit ends. Returns the signal that ends the
 * answer. Throws a 503 if the service is about to stop.
 */
export function letLast(ctx: Context, { stopping }: Connection): AbortSignal {
  if (stopping.aborted) notRunning('The service is about to stop, please try again');
  leavePlace(ctx);
  endTimeLimit(ctx.req);
  const ends = new AbortController();
  const end = (): void => {
    ends.abort(connectionClosed);
  };
  if (ctx.res.closed) end();
  else ctx.res.once('close', end);
  stopping.addEventListener('abort', end, { signal: ends.signal });
  return ends.signal;
}
