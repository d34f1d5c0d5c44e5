import { Alarm } from '#base/limits/timers.js';
import { bytesOf } from '#base/values.js';

/** Maximum number of bytes that wait for a client. */
const most = 1_048_576;

/** Milliseconds in which a client must take something while more than that waits. */
const patience = 10_000;

/** Results that a client has not taken yet. It takes the next one when its connection has room for it. */
export class Outbox<Result extends object> implements AsyncIterableIterator<Result> {
  readonly #onReturn: () => void;
  /** Called when the client has taken everything. */
  onEmpty: () => void = () => undefined;
  #results: Result[] = [];
  #bytes = 0;
  #isOver = false;
  #isReturned = false;
  #take: ((result: IteratorResult<Result>) => void) | null = null;
  #notify: (() => void) | null = null;

  /** `onReturn` is called once, when nobody takes results any more. */
  constructor(onReturn: () => void) {
    this.#onReturn = onReturn;
  }

  /** Whether nothing waits. */
  get isEmpty(): boolean {
    return this.#results.length === 0;
  }

  push(result: Result): void {
    if (this.#isOver) return;
    if (this.#take !== null) {
      const take = this.#take;
      this.#take = null;
      take({ done: false, value: result });
      return;
    }
    this.#results.push(result);
    this.#bytes += bytesOf(result);
  }

  /** Resolves when there is room for more; with false if the client takes nothing for 10 s. */
  async ready(): Promise<boolean> {
    while (this.#bytes > most && !this.#isOver) {
      const isTaken = await new Promise<boolean>((resolve) => {
        const alarm = new Alarm(() => resolve(false), { ref: false });
        alarm.set(patience);
        this.#notify = () => {
          alarm.cancel();
          resolve(true);
        };
      });
      this.#notify = null;
      if (!isTaken) return false;
    }
    return true;
  }

  /** Puts one result in the place of all that wait. */
  replace(result: Result): void {
    this.#results = [];
    this.#bytes = 0;
    this.push(result);
  }

  /** No result follows. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#notify?.();
    this.#take?.({ done: true, value: undefined });
    this.#take = null;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Result>> {
    const value = this.#results.shift();
    if (value === undefined) return this.#nextLater();
    this.#bytes -= bytesOf(value);
    this.#notify?.();
    return Promise.resolve({ done: false, value });
  }

  return(): Promise<IteratorResult<Result>> {
    this.#results = [];
    this.#bytes = 0;
    this.end();
    if (!this.#isReturned) this.#onReturn();
    this.#isReturned = true;
    return Promise.resolve({ done: true, value: undefined });
  }

  #nextLater(): Promise<IteratorResult<Result>> {
    if (this.#isOver) return this.return();
    return new Promise((resolve) => {
      this.#take = resolve;
      this.onEmpty();
    });
  }
}
