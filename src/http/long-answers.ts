import type { Context } from 'koa';
import { Ending } from '../limits/ending.js';
import { leavePlace } from './admit-requests.js';
import { endTimeLimit } from './request-limits.js';
import { type Connection, notRunning } from './running.js';

/**
 * Lets the answer to a request take long: the request leaves the queue, and its time limit ends. Returns the signal that ends the
 * answer. Throws a 503 if the service is about to stop.
 */
export function letLast(ctx: Context, { isStopping, lasting }: Connection): Ending {
  if (isStopping) notRunning('The service is about to stop, please try again');
  leavePlace(ctx);
  endTimeLimit(ctx.req);
  const ends = new Ending();
  const end = (): void => {
    lasting.delete(ends);
    ends.abort();
  };
  if (ctx.res.closed) end();
  else {
    lasting.add(ends);
    ctx.res.once('close', end);
  }
  return ends;
}
