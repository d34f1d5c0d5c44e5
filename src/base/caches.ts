import { LRUCache } from 'lru-cache';

/** The bounds of a cache. */
interface CacheBounds {
  /** Maximum number of entries, whose places take memory from the start; by default only the bytes are bounded. */
  readonly entries?: number;
  /** Maximum size in bytes of all keys and values, including the overhead of entries. */
  readonly bytes: number;
}

/** Overhead in bytes of an entry besides its key and value. */
const entryBytes = 300;

/** A cache that keeps the most recently used values. Everything that is keyed by input of clients is kept in such caches. */
export class BoundedCache<Value extends object | string | number, Key extends object | string | number = string> {
  readonly bounds: CacheBounds;
  readonly #entries: LRUCache<Key, { readonly value: Value }>;

  constructor(bounds: CacheBounds) {
    const { entries = 0, bytes } = bounds; // 0: no bound
    this.bounds = bounds;
    this.#entries = new LRUCache({ max: entries, maxSize: bytes, maxEntrySize: Math.ceil(bytes / 10) });
  }

  /** Number of entries. */
  get size(): number {
    return this.#entries.size;
  }

  /** Total size of the entries in bytes, as counted by `set`. */
  get bytes(): number {
    return this.#entries.calculatedSize;
  }

  /** Iterates over the keys and values, in no particular order. */
  *entries(): Generator<readonly [Key, Value]> {
    for (const [key, { value }] of this.#entries.entries()) yield [key, value];
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key)?.value;
  }

  /**
   * Adds a value. `bytes` is the size of the value, and of the key if that is an object. A value larger than a tenth of the cache
   * is not kept.
   */
  set(key: Key, value: Value, bytes: number): void {
    this.#entries.set(key, { value }, { size: bytes + (typeof key === 'string' ? 2 * key.length : 0) + entryBytes });
  }

  delete(key: Key): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }
}

/** Caches the results of a function for as long as its argument is in memory, such as a type. Undefined is not cached. */
export function memoize<One extends object, Result>(find: (one: One) => Result): (one: One) => Result {
  const results = new WeakMap<One, Result>();
  return (one) => {
    const cached = results.get(one);
    if (cached !== undefined || results.has(one)) return cached as Result; // undefined can be a result
    const result = find(one);
    results.set(one, result);
    return result;
  };
}

/** Caches the results of a function for as long as both arguments are in memory, such as a type and its registry. */
export function memoizePair<One extends object, Other extends object, Result>(
  find: (one: One, other: Other) => Result,
): (one: One, other: Other) => Result {
  const ofOther = memoize((other: Other) => memoize((one: One) => find(one, other)));
  return (one, other) => ofOther(other)(one);
}

/** Returns a function that does work once for each object, and again if it has failed. Calls share the work that is under way. */
export function oncePer<One extends object>(): (one: One, work: () => Promise<unknown>) => Promise<unknown> {
  const begun = new WeakMap<One, Promise<unknown>>();
  return (one, work) => {
    const running =
      begun.get(one) ??
      work().catch((error: unknown) => {
        begun.delete(one);
        throw error;
      });
    begun.set(one, running);
    return running;
  };
}

/** Returns a function that does work once, with the first call, and again after it has failed. All calls share the result. */
export function onceDone<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let begun: Promise<Result> | null = null;
  return () =>
    (begun ??= work().catch((error: unknown) => {
      begun = null;
      throw error;
    }));
}

/** Values that several clients have in common, by what makes them equal. Those that nobody uses any more are forgotten. */
export class SharedValues<Value extends object> {
  readonly #values = new Map<string, WeakRef<Value>>();
  readonly #unused = new FinalizationRegistry((key: string) => {
    if (this.#values.get(key)?.deref() === undefined) this.#values.delete(key);
  });

  /** Returns the value that is known for a key if it may replace the given one; otherwise the given one, which is known from now on. */
  share(key: string, value: Value, mayReplace: (cached: Value) => boolean = () => true): Value {
    const cachedValue = this.#values.get(key)?.deref();
    if (cachedValue !== undefined && mayReplace(cachedValue)) return cachedValue;
    this.#values.set(key, new WeakRef(value));
    this.#unused.register(value, key);
    return value;
  }
}
