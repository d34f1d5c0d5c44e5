import { tooLate } from './within-time.js';

/**
 * The time that a request waits for the database, for all its commands and transactions together. Only slow ones count, so that a
 * request with many quick commands, or a client that sends a body slowly, is not refused.
 */
export class WaitTime {
  readonly #total: number;
  readonly #spent: SpentTime;
  /** Milliseconds below which work does not count. */
  readonly #least: number;

  /** `total` is the time limit in milliseconds. */
  constructor(total: number, spent: SpentTime = { milliseconds: 0, until: 0 }, least = total / quickParts) {
    this.#total = total;
    this.#spent = spent;
    this.#least = least;
  }

  /** Returns the same time for a sequence of many commands, in which quick ones count too. */
  countingAll(): WaitTime {
    return new WaitTime(this.#total, this.#spent, 0);
  }

  /**
   * Runs work with the milliseconds that it may take: its limit, or the rest of the time if that is less. Rejects with a 503 if
   * no time is left.
   */
  run<Result>(limit: number, work: (limit: number) => Promise<Result>): Promise<Result> {
    const left = this.#total - this.#spent.milliseconds;
    if (left <= 0) return Promise.reject(tooLate());
    const begun = performance.now();
    const result = work(Math.min(limit, left));
    const count = this.#count.bind(this, begun);
    result.then(count, count);
    return result;
  }

  /** Resets the time, because the request has made progress. */
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

/** The spent time of a request. */
interface SpentTime {
  milliseconds: number;
  /** The end of the last work that counted, by `performance.now()`, so that the time of concurrent work counts once. */
  until: number;
}

/** Work is quick if it takes less than one `quickParts`th of the time of a request. */
const quickParts = 16;

/** The time for work that no request waits for, without a limit. */
export const endless = new WaitTime(Infinity);

/** Returns the milliseconds that a request may wait for the database, given the limits of its commands. */
export const requestTime = ({ read, write }: { readonly read: number; readonly write: number }): number =>
  1.5 * Math.max(read, write);
