import { BoundedCache } from '../bounded-cache.js';
import type { ChangeListener } from './watch-changes.js';

/** Tells those who keep in memory what they read that something was written, by this or another instance. */
export class ChangeBus implements ChangeListener {
  readonly #listeners = new Map<string, Set<() => void>>();
  #isListening = false;

  /** Whether the writes of other instances are reported. While they are not, nothing should be kept. */
  get isListening(): boolean {
    return this.#isListening;
  }

  /** Calls `listener` when something was written to one of the collections, or may have been. */
  onChange(collections: readonly string[], listener: () => void): void {
    for (const collection of collections)
      this.#listeners.set(collection, (this.#listeners.get(collection) ?? new Set()).add(listener));
  }

  changed(collection: string): void {
    for (const listener of this.#listeners.get(collection) ?? []) listener();
  }

  listening(isListening: boolean): void {
    this.#isListening = isListening;
    this.forget();
  }

  /** Makes everything that was kept be read again. */
  forget(): void {
    for (const listener of new Set([...this.#listeners.values()].flatMap((set) => [...set]))) listener();
  }
}

/** Returns a function that reads a value once and keeps it until something is written to one of the collections. */
export function cacheUntilChanged<Value>(
  changes: ChangeBus,
  collections: readonly string[],
  load: () => Promise<Value>,
): () => Promise<Value> {
  const read = cacheByKey(changes, collections, load);
  return () => read('only');
}

/** The same for one value per key. Every write drops all values, since it is not known which key it concerns. */
export function cacheByKey<Key, Value>(
  changes: ChangeBus,
  collections: readonly string[],
  load: (key: Key) => Promise<Value>,
): (key: Key) => Promise<Value> {
  let cached = new Map<Key, Promise<Value>>();
  changes.onChange(collections, () => {
    cached = new Map();
  });
  return (key) => {
    if (!changes.isListening) return load(key);
    const known = cached.get(key);
    if (known !== undefined) return known;
    // A write replaces the map, so that a value that was read before the write is never found after it.
    const map = cached;
    if (map.size >= mostKeys) map.clear();
    const loading = load(key);
    map.set(key, loading);
    loading.catch(() => map.delete(key));
    return loading;
  };
}

const mostKeys = 10_000;

/** The totals of one collection: one for each publication state and set of locales. */
const bounds = { entries: 100, bytes: 100_000 };

/**
 * Exact totals of whole types, by collection and query. Counting is the most expensive part of a list and takes longer as the
 * collection grows. A total is kept until something is written to the collection; nothing is kept while the writes of other
 * instances are not reported.
 */
export class TotalCache {
  readonly #changes: ChangeBus;
  readonly #totals = new Map<string, BoundedCache<number>>();
  readonly #followed = new Set<string>();

  constructor(changes: ChangeBus) {
    this.#changes = changes;
  }

  /** Returns the kept total, or calls `count`. */
  async read(collection: string, query: string, count: () => Promise<number>): Promise<number> {
    if (!this.#changes.isListening) return count();
    // A write drops these totals: what is counted before it goes where nobody looks after it.
    const totals = this.#totalsOf(collection);
    const kept = totals.get(query);
    if (kept !== undefined) return kept;
    const total = await count();
    totals.set(query, total, 8);
    return total;
  }

  #totalsOf(collection: string): BoundedCache<number> {
    const totals = this.#totals.get(collection) ?? new BoundedCache<number>(bounds);
    this.#totals.set(collection, totals);
    if (!this.#followed.has(collection)) this.#changes.onChange([collection], () => this.#totals.delete(collection));
    this.#followed.add(collection);
    return totals;
  }
}
