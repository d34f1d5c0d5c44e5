import { setTimeout as delay } from 'node:timers/promises';
import { unavailableError } from '../errors.js';
import { isInterrupted } from './driver-errors.js';

/**
 * Runs a command, and again where a failover or a broken connection came in between, until the limit is over, in milliseconds. The next attempt
 * may hit the same failover: a former primary refuses commands until the driver has found the next one.
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

/** The 503 of a command that a server did not finish in time. */
export const tooLate = (): Error => unavailableError('The database took too long to answer, please try again or ask for less');

/**
 * Resolves as the work does. Rejects with 503 if it takes more milliseconds than the limit: a server that hangs does not keep to the time
 * limits that it is given. A reply that came while this process was busy or stopped is read first.
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

/** Milliseconds after which work is slow. */
export const slowAfter = 1_000;

/**
 * The time that a request waits for the database: all its commands and transactions together. It runs while one of them is slow; quick ones
 * do not count, so that neither many of them nor a client that sends a body slowly is refused.
 */
export class WaitTime {
  readonly #total: number;
  readonly #spent: SpentTime;
  /** Work that takes fewer milliseconds does not count. */
  readonly #least: number;

  /** `total`: milliseconds. */
  constructor(total: number, spent: SpentTime = { milliseconds: 0, until: 0 }, least = total / quickParts) {
    this.#total = total;
    this.#spent = spent;
    this.#least = least;
  }

  /** The same time for many commands in turn, of which quick ones count as well. */
  countingAll(): WaitTime {
    return new WaitTime(this.#total, this.#spent, 0);
  }

  /** Runs work with the milliseconds that it may take: its limit, or less if less is left. Rejects with 503 if nothing is left. */
  run<Result>(limit: number, work: (limit: number) => Promise<Result>): Promise<Result> {
    const left = this.#total - this.#spent.milliseconds;
    if (left <= 0) return Promise.reject(tooLate());
    const begun = performance.now();
    const result = work(Math.min(limit, left));
    const count = this.#count.bind(this, begun);
    result.then(count, count);
    return result;
  }

  /** Begins anew: the request has got on, and waits for its client. */
  renew(): void {
    this.#spent.milliseconds = 0;
  }

  #count(begun: number): void {
    const now = performance.now();
    if (now - begun < this.#least) return;
    this.#spent.milliseconds += now - Math.max(begun, this.#spent.until);
    this.#spent.until = now;
  }
}

/** The time of a request that is spent. */
interface SpentTime {
  milliseconds: number;
  /** The end of the last work that counted, of `performance.now()`: of work at the same time, the time counts once. */
  until: number;
}

/** Work that takes less than this part of the time of a request is quick. */
const quickParts = 16;

/** The time of work that no request waits for. */
export const endless = new WaitTime(Infinity);

/** Returns how many milliseconds a request may wait for the database, given the limits of its commands. */
export const requestTime = ({ read, write }: { readonly read: number; readonly write: number }): number =>
  1.5 * Math.max(read, write);

interface Patience {
  /** Returns the error of work that takes too long. */
  readonly late: () => Error;
  /** Called once for each second that the work takes. */
  readonly slow: () => void;
}

/**
 * The same for work that heeds a signal: a command that waits for a server or a connection is not sent any more, and the connection of
 * one that was sent is closed. One timer, for work that is not slow.
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
    return await work(signal as unknown as AbortSignal); // has all that the driver uses of one
  } finally {
    clearTimeout(timer);
  }
}

type AbortListener = (this: CommandSignal) => void;

/**
 * The signal of one command. The driver adds three listeners to it and takes them away again, which is all that a command that is in time
 * needs it for: of a signal of the platform, with its events, that takes 4 % of the time of an update.
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

/** Returns how many milliseconds the work of a transaction may take, given the limit of a writing command. */
export const workTime = (write: number): number => 3 * write;

/** The end of the time of work that has several parts, each with a limit of its own besides that of the whole. */
export class Deadline {
  readonly #late: Promise<never>;
  #reject: (error: Error) => void = () => undefined;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;
  readonly #end: number;

  /** `limit`: milliseconds of all parts together. */
  constructor(limit: number) {
    this.#end = performance.now() + limit;
    this.#late = new Promise<never>((_, reject) => (this.#reject = reject));
  }

  /** Whether the caller has got the error that the work took too long. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** The milliseconds that are left of the whole. */
  get left(): number {
    return Math.max(this.#end - performance.now(), 0);
  }

  /** Begins a part. Throws the error if the time was over before, and has `race` reject with it after the limit, in milliseconds. */
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

/** Milliseconds in which the server may say itself that it took too long. */
const grace = 250;
