/** Wakes work that waits for something to do. A ring while nobody waits ends the next wait at once. */
export class Bell {
  #hasRung = false;
  #waiting: (() => void) | null = null;

  readonly ring = (): void => {
    this.#hasRung = true;
    this.#waiting?.();
  };

  /** Resolves at the next ring, after a time, or when the signal aborts. */
  async wait(milliseconds: number, ends: AbortSignal): Promise<void> {
    if (!this.#hasRung && !ends.aborted)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, milliseconds).unref();
        this.#waiting = () => {
          clearTimeout(timer);
          resolve();
        };
        ends.addEventListener('abort', this.ring);
      });
    ends.removeEventListener('abort', this.ring);
    this.#waiting = null;
    this.#hasRung = false;
  }
}
