import { inRequestTime, type TimeLimits } from './calls.js';
import { isTimedOut, isTooLarge } from './driver-errors.js';

/** Work under way, by its query. */
export type Running<Result> = Map<string, Promise<Result>>;

/** Work that one request does for all concurrent requests with the same query. */
interface Shared<Result> {
  readonly work: () => Promise<Result>;
  /** The limits of how long this request may wait for another one. */
  readonly limits: TimeLimits;
}

/**
 * Waits for equal work that is under way, as long as the request may wait, or does the work. If the other request gave up for
 * reasons of its own, the first of the waiting requests does the work, and the others wait for it.
 */
export async function share<Result extends number | object>(
  running: Running<Result>,
  key: string,
  { work, limits }: Shared<Result>,
): Promise<Result> {
  const other = running.get(key);
  if (other === undefined) {
    const own = work().finally(() => running.delete(key));
    running.set(key, own);
    return own;
  }
  const found = other.catch((error: unknown) => {
    if (isTimedOut(error) || isTooLarge(error)) throw error; // the work would fail for each request
    return null;
  });
  return (await inRequestTime(limits, found)) ?? share(running, key, { work, limits });
}
