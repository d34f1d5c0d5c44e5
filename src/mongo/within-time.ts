import { unavailableError } from '../errors.js';
import { isInterrupted } from './driver-errors.js';

/** Runs a command, and once more where a failover or a broken connection came in between. */
export const twice = <Reply>(run: () => Promise<Reply>): Promise<Reply> =>
  run().catch((error: unknown) => {
    if (!isInterrupted(error)) throw error;
    return run();
  });

/**
 * Resolves as the work does. Rejects with 503 if it takes more milliseconds than the limit: a server that hangs does not keep to the time
 * limits that it is given.
 */
export const withinTime = <Reply>(limit: number, work: () => Promise<Reply>): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(unavailableError('The database took too long to answer, please try again or ask for less'));
    }, limit + grace);
    work()
      .then(resolve, reject)
      .finally(() => {
        clearTimeout(timer);
      });
  });

/** Milliseconds in which the server may say itself that it took too long. */
const grace = 250;
