import type { ChangeBus } from '#store/changes/changes.js';
import { changeLog } from '#store/stores/change-log.js';

/** Tells that the change log was written, by this instance or another one. */
export class LogSignal {
  /** Increases with each write of the log. */
  version = 0;
  readonly #listeners = new Set<() => void>();

  constructor(changes: ChangeBus) {
    changes.onChange([changeLog], () => {
      this.version += 1;
      for (const listener of [...this.#listeners]) listener();
    });
  }

  /** Calls a function at each write. Returns a function that ends this. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves when the log was written since a version, or after some milliseconds. */
  async changed(since: number, milliseconds: number): Promise<void> {
    if (this.version !== since) return;
    let end = (): unknown => undefined;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      timer = setTimeout(resolve, milliseconds).unref();
      end = this.listen(resolve);
    });
    clearTimeout(timer);
    end();
  }
}
