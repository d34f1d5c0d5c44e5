import { unavailableError } from '../errors.js';
import { Ending } from './ending.js';

/** Returns the 503 for a command that a server did not finish in time. */
export const tooLate = (): Error => unavailableError('The database took too long to answer, please try again or ask for less');

/** Milliseconds after a limit in which the server can still report its own timeout. */
export const grace = 250;

/** Milliseconds from which on work is slow. */
export const slowAfter = 1_000;

/**
 * Settles as the work does, or rejects with an error if the work takes more milliseconds than the limit. The time limits in commands
 * are not enough, because a server that hangs does not apply them. A reply that arrived while this process was busy or stopped is
 * read before the limit is applied.
 */
export const withinTime = <Reply>(limit: number, work: () => Promise<Reply>, late = tooLate): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => setImmediate(reject, late()), limit);
    const result = work();
    const stop = (): void => {
      clearTimeout(timer);
    };
    result.then(stop, stop);
    result.then(resolve, reject);
  });

/** What a clock tells of work that takes long. */
interface Lateness {
  /** Returns the error of work that takes too long. */
  readonly late: () => Error;
  /** Called once for each second that the work takes. */
  readonly slow?: () => void;
}

/**
 * A time limit for work in several parts, each of which has a further limit of its own. It is the signal of the commands of the work:
 * when the time is over, a command that waits for a server or a connection is no longer sent, and the connection of a command that
 * was sent is closed. The driver adds three listeners and removes them again; with an AbortSignal of Node and its events, this takes
 * 4 % of the time of an update. The timer does not keep the process alive.
 */
export class Clock extends Ending {
  readonly #end: number;
  #timer: NodeJS.Timeout | undefined;
  #refuse: ((reason: Error) => void) | null = null;

  /** `limit` is the milliseconds for all parts together. */
  constructor(limit = Infinity) {
    super();
    this.#end = performance.now() + limit;
  }

  /** The milliseconds that are left for all parts together. */
  get remainingMs(): number {
    return Math.max(this.#end - performance.now(), 0);
  }

  /** Begins a part of at most this many milliseconds. Throws the error if the time is over already. */
  allow(limit: number, lateness: Lateness): void {
    const { late, slow } = lateness;
    if (this.aborted) throw late();
    this.stop();
    const step = slow === undefined ? limit : Math.min(limit, slowAfter);
    this.#timer = setTimeout(() => {
      if (step >= limit) {
        this.abort(late());
        return;
      }
      slow?.();
      this.allow(limit - step, lateness);
    }, step).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** Settles as the work does. If the time ends before, it rejects, and the work continues in the background. */
  race<Result>(work: Promise<Result>): Promise<Result> {
    const stop = (): void => {
      this.stop();
    };
    work.then(stop, stop);
    return new Promise((resolve, reject) => {
      this.#refuse = reject;
      work.then(resolve, reject);
    });
  }

  override abort(reason: Error): void {
    this.#refuse?.(reason);
    super.abort(reason);
  }
}

/** Runs work that observes a signal, which is aborted with the error after the limit in milliseconds. */
export async function observed<Reply>(
  limit: number,
  lateness: Lateness,
  work: (signal: AbortSignal) => Promise<Reply>,
): Promise<Reply> {
  const clock = new Clock();
  clock.allow(limit, lateness);
  try {
    return await work(clock as unknown as AbortSignal); // has all members that the driver uses
  } finally {
    clock.stop();
  }
}

/**
 * The time that a request waits for the database, for all its commands and transactions together. Only slow ones count, so that a
 * request with many quick commands, or a client that sends a body slowly, is not refused.
 */
export class WaitTime {
  readonly #total: number;
  /** The spent milliseconds. */
  #spent = 0;
  /** The end of the last work that counted, by `performance.now()`, so that the time of concurrent work counts once. */
  #until = 0;

  /** `total` is the time limit in milliseconds. */
  constructor(total: number) {
    this.#total = total;
  }

  /**
   * Runs work with the milliseconds that it may take: its limit, or the rest of the time if that is less. Rejects with a 503 if
   * no time is left.
   */
  run<Result>(limit: number, work: (limit: number) => Promise<Result>): Promise<Result> {
    const left = this.#total - this.#spent;
    if (left <= 0) return Promise.reject(tooLate());
    const begun = performance.now();
    const result = work(Math.min(limit, left));
    const count = this.#count.bind(this, begun);
    result.then(count, count);
    return result;
  }

  /** Resets the time, because the request has made progress. */
  renew(): void {
    this.#spent = 0;
  }

  #count(begun: number): void {
    const now = performance.now();
    if (now - begun < this.#total / quickParts) return;
    this.#spent += now - Math.max(begun, this.#until);
    this.#until = now;
  }
}

/** Work is quick if it takes less than one `quickParts`th of the time of a request. */
const quickParts = 16;

/** The time for work that no request waits for, without a limit. */
export const endless = new WaitTime(Infinity);
