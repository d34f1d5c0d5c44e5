import { unavailableError } from '../errors.js';

/** The collections whose unique indexes are still being built, which take no writes until they are there. */
export class UniqueBuilds {
  readonly #builds = new Map<string, Promise<void>>();

  /** Has writes to a collection wait until its indexes are built. */
  begin(collection: string, built: Promise<void>): void {
    this.#builds.set(collection, built);
    void built.finally(() => {
      if (this.#builds.get(collection) === built) this.#builds.delete(collection);
    });
  }

  isBuilding(collection: string): boolean {
    return this.#builds.has(collection);
  }

  /** Resolves when a collection takes writes. Rejects with 503 if that takes more than so many milliseconds. */
  async wait(collection: string, patience: number): Promise<void> {
    const built = this.#builds.get(collection);
    if (built === undefined) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(unavailableError(`The indexes of ${collection} that keep values unique are being built, please try again later`));
      }, patience);
    });
    await Promise.race([built, late]).finally(() => {
      clearTimeout(timer);
    });
  }
}
