import type { Context } from 'koa';
import { leavePlace } from './admit-requests.js';
import { endTimeLimit } from './request-limits.js';
import { senderOf } from './route-request.js';
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
  const { signal } = senderOf(ctx, null);
  const end = (): void => {
    ends.abort();
  };
  signal.addEventListener('abort', end);
  stopping.addEventListener('abort', end, { signal });
  return ends.signal;
}
