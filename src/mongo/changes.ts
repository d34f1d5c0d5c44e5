import { BoundedCache } from '../bounded-cache.js';

/** Notifies caches of writes by this or another instance. */
export class ChangeBus {
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly #writeListeners = new Set<(collection: string) => void>();
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

  /** Calls `listener` with the collection of every write of this instance. */
  onWrite(listener: (collection: string) => void): void {
    this.#writeListeners.add(listener);
  }

  /** Reports a write to a collection by any client. */
  changed(collection: string): void {
    for (const listener of this.#listeners.get(collection) ?? []) listener();
  }

  /** Reports a write of this instance to a collection. */
  wrote(collection: string): void {
    this.changed(collection);
    for (const listener of this.#writeListeners) listener(collection);
  }

  /** Sets whether writes of other instances are reported. Values that were cached before may be stale. */
  listening(isListening: boolean): void {
    this.#isListening = isListening;
    if (isListening) this.forget();
  }

  /** Drops all cached values. */
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
  let cached: Promise<Value> | null = null;
  changes.onChange(collections, () => {
    cached = null;
  });
  return () => {
    if (!changes.isListening) return load();
    if (cached !== null) return cached;
    const loading = load();
    cached = loading;
    loading.catch(() => {
      if (cached === loading) cached = null;
    });
    return loading;
  };
}

interface KeyedSource<Value> {
  readonly load: (key: number) => Promise<Value>;
  /** Returns the approximate size of a value in bytes. */
  readonly weigh: (value: Value) => number;
}

/** The same for one value per key, within bounds. Every write drops all values, since it is not known which key it concerns. */
export function cacheByKey<Value>(
  changes: ChangeBus,
  collections: readonly string[],
  { load, weigh }: KeyedSource<Value>,
): (key: number) => Promise<Value> {
  const cached = new BoundedCache<Promise<Value>, number>(keyedBounds);
  changes.onChange(collections, () => {
    cached.clear();
  });
  return (key) => {
    if (!changes.isListening) return load(key);
    const known = cached.get(key);
    if (known !== undefined) return known;
    const loading = load(key);
    cached.set(key, loading, 0);
    // A write meanwhile has dropped the promise: its value may be from before the write.
    const isKept = (): boolean => cached.get(key) === loading;
    loading.then(
      (value) => {
        if (isKept()) cached.set(key, loading, weigh(value));
      },
      () => {
        if (isKept()) cached.delete(key);
      },
    );
    return loading;
  };
}

const keyedBounds = { entries: 10_000, bytes: 16_000_000 };

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
    // A write replaces this map, so that counts which began before it are not used later.
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
