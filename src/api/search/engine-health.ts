import type { Observer } from '#base/observe/observer.js';

/** Milliseconds for which an engine that has failed is not asked. */
const pause = 5_000;

/** Number of timeouts in a row after which an engine is not asked. One alone may be that of a costly search. */
const mostTimeouts = 3;

/** Maximum number of searches at the same time. */
const mostSearches = 100;

/** The error of an engine that takes longer than `api.search.timeout`. */
export class EngineTimeout extends Error {
  override readonly name = 'EngineTimeout';
}

/** Decides whether an engine is asked: not for a while after it has failed, and not by too many searches at once. */
export class EngineHealth {
  readonly #observer: Observer;
  /** The time, by `performance.now()`, before which the engine is not asked; null if it has not failed. */
  #pausedUntil: number | null = null;
  /** Whether a search finds out if the engine answers again. */
  #isProbing = false;
  #timeouts = 0;
  #running = 0;

  constructor(observer: Observer) {
    this.#observer = observer;
  }

  /** Begins a search, whose end is noted by `end`. Returns why the engine may not be asked, and null if it may. */
  begin(): 'paused' | 'busy' | null {
    if (this.#pausedUntil !== null) {
      if (this.#isProbing || performance.now() < this.#pausedUntil) return 'paused';
      this.#isProbing = true;
    } else if (this.#running >= mostSearches) return 'busy';
    this.#running += 1;
    return null;
  }

  /** Notes the end of a search; `err` is null if the engine has answered. */
  end(err: unknown): void {
    this.#running -= 1;
    const isTimeout = err instanceof EngineTimeout;
    this.#timeouts = isTimeout ? this.#timeouts + 1 : 0;
    if (err === null) this.#resume();
    else if (!isTimeout || this.#timeouts >= mostTimeouts || this.#pausedUntil !== null) this.#pause(err);
  }

  #resume(): void {
    if (this.#pausedUntil !== null) this.#observer.observe({ kind: 'engine found' });
    this.#pausedUntil = null;
    this.#isProbing = false;
  }

  #pause(err: unknown): void {
    if (this.#pausedUntil === null) this.#observer.observe({ kind: 'engine lost', err });
    this.#pausedUntil = performance.now() + pause;
    this.#isProbing = false;
  }
}
