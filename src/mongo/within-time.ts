import { setTimeout as delay } from 'node:timers/promises';
import { unavailableError } from '../errors.js';
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

/** Returns the 503 for a command that a server did not finish in time. */
export const tooLate = (): Error => unavailableError('The database took too long to answer, please try again or ask for less');

/**
 * Settles as the work does, or rejects with a 503 if the work takes more milliseconds than the limit. The time limits in commands
 * are not enough, because a server that hangs does not apply them. A reply that arrived while this process was busy or stopped is
 * read before the limit is applied.
 */
export const withinTime = <Reply>(limit: number, work: () => Promise<Reply>, late = tooLate): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => setImmediate(reject, late()), limit + grace);
    work().then(
      (reply) => {
        clearTimeout(timer);
        resolve(reply);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error as Error); // passed on as it is
      },
    );
  });

/** Milliseconds from which on work is slow. */
export const slowAfter = 1_000;

interface Patience {
  /** Returns the error of work that takes too long. */
  readonly late: () => Error;
  /** Called once for each second that the work takes. */
  readonly slow: () => void;
}

/**
 * Does the same as `withinTime` for work that observes a signal. When the time is over, a command that waits for a server or a
 * connection is no longer sent, and the connection of a command that was sent is closed. Work that is not slow needs only one
 * timer.
 */
export async function abortedLate<Reply>(
  limit: number,
  work: (signal: AbortSignal) => Promise<Reply>,
  { late, slow }: Patience,
): Promise<Reply> {
  const signal = new CommandSignal();
  let left = limit + grace;
  const wait = (): NodeJS.Timeout => setTimeout(tick, Math.min(left, slowAfter));
  const tick = (): void => {
    left -= slowAfter;
    if (left <= 0) {
      signal.abort(late());
      return;
    }
    slow();
    timer = wait();
  };
  let timer = wait();
  try {
    return await work(signal as unknown as AbortSignal); // has all members that the driver uses
  } finally {
    clearTimeout(timer);
  }
}

type AbortListener = (this: CommandSignal) => void;

/**
 * The signal of one command. The driver adds three listeners and removes them again; with an AbortSignal of Node and its events,
 * this takes 4 % of the time of an update.
 */
class CommandSignal {
  aborted = false;
  reason: unknown = undefined;
  readonly #listeners = new Set<AbortListener>();

  addEventListener(_type: 'abort', listener: AbortListener): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_type: 'abort', listener: AbortListener): void {
    this.#listeners.delete(listener);
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  abort(reason: Error): void {
    this.aborted = true;
    this.reason = reason;
    for (const listener of [...this.#listeners]) listener.call(this);
  }
}

/** Returns the milliseconds that the work of a transaction may take, given the limit of a write. */
export const workTime = (write: number): number => 3 * write;

/** A time limit for work in several parts, each of which has a further limit of its own. */
export class Deadline {
  readonly #late: Promise<never>;
  #reject: (error: Error) => void = () => undefined;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;
  readonly #end: number;

  /** `limit` is the milliseconds for all parts together. */
  constructor(limit: number) {
    this.#end = performance.now() + limit;
    this.#late = new Promise<never>((_, reject) => (this.#reject = reject));
  }

  /** Whether the time is over and `race` has rejected. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** The milliseconds that are left for all parts together. */
  get left(): number {
    return Math.max(this.#end - performance.now(), 0);
  }

  /**
   * Begins a part. `race` rejects with the error after the limit in milliseconds. Throws the error if the time is over already.
   */
  allow(limit: number, late: () => Error): void {
    if (this.#isOver) throw late();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        this.#isOver = true;
        this.#reject(late());
      },
      Math.min(limit, this.left) + grace,
    );
  }

  /** Settles as the work does. If the time ends before, it rejects, and the work continues in the background. */
  async race<Result>(work: Promise<Result>): Promise<Result> {
    try {
      return await Promise.race([work, this.#late]);
    } finally {
      clearTimeout(this.#timer);
    }
  }
}

/** Milliseconds after a limit in which the server can still report its own timeout. */
const grace = 250;
