import type { Context } from 'koa';
import { connectionClosed } from '../limits/clock.js';
import { leavePlace } from './admit-requests.js';
import { endTimeLimit } from './request-limits.js';
import { type Connection, notRunning } from './running.js';

/**
 * Lets the answer to a request take long: the request leaves the queue, and its time limit ends. Returns the signal that ends the
 * answer. Throws a 503 if the service is about to stop.
 */
export function letLast(ctx: Context, { isStopping, lasting }: Connection): AbortSignal {
  if (isStopping) notRunning('The service is about to stop, please try again');
  leavePlace(ctx);
  endTimeLimit(ctx.req);
  const ends = new AbortController();
  const end = (): void => {
    lasting.delete(ends);
    ends.abort(connectionClosed);
  };
  if (ctx.res.closed) end();
  else {
    lasting.add(ends);
    ctx.res.once('close', end);
  }
  return ends.signal;
}
