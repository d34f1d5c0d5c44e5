import { unavailableError } from '../errors.js';

/** Who waits for a piece of work. */
export interface Asker {
  /** Address of the client. */
  readonly address: string;
  /** Aborted when nobody waits for the work any more. */
  readonly signal: AbortSignal;
}

interface QueueBounds {
  /** Pieces of work that run at a time. */
  readonly atOnce: number;
  /** Pieces of work that may wait in all, and those of one address. */
  readonly waiting: number;
  readonly waitingPerAddress: number;
}

/**
 * Runs a piece of work when its turn has come. Rejects with 503 if too many wait already, and if its asker gives up before it has
 * begun. Work of the service itself has no asker, and always waits.
 */
type RunInTurn = <Result>(work: () => Promise<Result>, asker?: Asker) => Promise<Result>;

interface Waiting {
  readonly address: string | null;
  readonly begin: () => void;
}

/** Runs a bounded number of pieces of work at a time, in the order in which they came. */
export function createQueue({ atOnce, waiting: most, waitingPerAddress }: QueueBounds): RunInTurn {
  const waiting: Waiting[] = [];
  let running = 0;
  const wait = (asker: Asker | undefined): Promise<void> => {
    const { address = null, signal } = asker ?? {};
    const own = waiting.filter((other) => other.address === address).length;
    if (asker !== undefined && (waiting.length >= most || own >= waitingPerAddress))
      throw unavailableError('Too many images are waiting to be drawn, please try again later');
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        waiting.splice(waiting.indexOf(place), 1);
        reject(unavailableError('The request has ended'));
      };
      const begin = (): void => {
        signal?.removeEventListener('abort', giveUp);
        resolve();
      };
      const place: Waiting = { address, begin };
      waiting.push(place);
      signal?.addEventListener('abort', giveUp, { once: true });
    });
  };
  return async (work, asker) => {
    if (running < atOnce) running += 1;
    else await wait(asker);
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next.begin();
    }
  };
}
