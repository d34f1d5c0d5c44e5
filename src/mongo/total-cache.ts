import { BoundedCache } from '../bounded-cache.js';

/** The totals of one collection: of each publication state, for each set of locales. */
const bounds = { entries: 100, bytes: 100_000 };

/**
 * Exact totals of whole types, by collection and query. Counting is the dearest part of a list and grows with the collection;
 * a total stays right until something is written to the collection, which every instance hears of by the change stream.
 * While that stream is down nothing is kept.
 */
export class TotalCache {
  #totals = new Map<string, BoundedCache<number>>();
  #writes = new Map<string, number>();
  #listening = false;
  readonly #changed: (collection: string) => void;

  /** `changed`: told of every write, this instance's and the others'. */
  constructor(changed: (collection: string) => void = () => undefined) {
    this.#changed = changed;
  }

  /** Whether writes of other instances are heard of. */
  get isListening(): boolean {
    return this.#listening;
  }

  /** Says whether writes of other instances are heard of. */
  listen(listening: boolean): void {
    this.#listening = listening;
    this.clear();
  }

  /** Forgets the totals of a collection that was written to. */
  invalidate(collection: string): void {
    this.#writes.set(collection, this.#writesTo(collection) + 1);
    this.#totals.delete(collection);
    this.#changed(collection);
  }

  clear(): void {
    for (const collection of this.#totals.keys()) this.invalidate(collection);
  }

  /** The kept total, or the counted one, which is kept unless a write came in between. */
  async read(collection: string, query: string, count: () => Promise<number>): Promise<number> {
    const kept = this.#totals.get(collection)?.get(query);
    if (kept !== undefined) return kept;
    const before = this.#writesTo(collection);
    const total = await count();
    if (this.#listening && this.#writesTo(collection) === before) this.#keep(collection, query, total);
    return total;
  }

  #writesTo(collection: string): number {
    return this.#writes.get(collection) ?? 0;
  }

  #keep(collection: string, query: string, total: number): void {
    const totals = this.#totals.get(collection) ?? new BoundedCache<number>(bounds);
    totals.set(query, total, 8);
    this.#totals.set(collection, totals);
  }
}
