import { endedBy, waited } from '#base/limits/timers.js';

/** Wakes work that waits for something to do. A ring while nobody waits ends the next wait at once. */
export class Bell {
  #rung = new AbortController();

  readonly ring = (): void => {
    this.#rung.abort(rung);
  };

  /** Resolves at the next ring, after a time, or when the signal aborts. */
  async wait(milliseconds: number, ends: AbortSignal): Promise<void> {
    await endedBy([ends], this.ring, () => waited(milliseconds, this.#rung.signal, { ref: false }));
    this.#rung = new AbortController();
  }
}

/** The reason of all these signals. Without one each ring would create an exception with a stack. */
const rung = new Error('The bell has rung');
