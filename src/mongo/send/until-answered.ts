import { setTimeout as delay } from 'node:timers/promises';
import { isInterrupted } from './driver-errors.js';

/**
 * Runs a command, and repeats it after a failover or a broken connection, until the limit in milliseconds is over. Several
 * attempts may be needed, because a former primary refuses commands until the driver has found the new one.
 */
export function untilAnswered<Reply>(limit: number, run: () => Promise<Reply>): Promise<Reply> {
  const end = performance.now() + limit;
  return run().catch((error: unknown) => repeat(error, end, run));
}

async function repeat<Reply>(first: unknown, end: number, run: () => Promise<Reply>): Promise<Reply> {
  let error = first;
  for (let pause = 0; isInterrupted(error) && performance.now() + pause <= end; pause = Math.min(2 * pause + 20, 500)) {
    if (pause > 0) await delay(pause);
    try {
      return await run();
    } catch (thrown) {
      error = thrown;
    }
  }
  throw error;
}
