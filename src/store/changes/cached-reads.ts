import { BoundedCache } from '#base/caches.js';
import type { ChangeBus } from './changes.js';

/** Bounds of what is cached by key. */
const keyedBounds = { entries: 10_000, bytes: 16_000_000 };

/**
 * Returns a function that reads a value once and caches it until something is written to one of the collections. `comment` is that of
 * the commands: the id of the request that needs the value first.
 */
export function cacheUntilChanged<Value>(
  changes: ChangeBus,
  collections: readonly string[],
  load: (comment?: string) => Promise<Value>,
): (comment?: string) => Promise<Value> {
  const read = cacheByKey(changes, collections, { load: (_key, comment) => load(comment), weigh: () => 0 });
  return (comment) => read(0, comment);
}

interface KeyedSource<Value> {
  readonly load: (key: number, comment?: string) => Promise<Value>;
  /** Returns the approximate size of a value in bytes. */
  readonly weigh: (value: Value) => number;
}

/**
 * Returns a function that does the same for one value per key, within bounds. A write drops all values, because the key that it
 * affects is unknown.
 */
export function cacheByKey<Value>(
  changes: ChangeBus,
  collections: readonly string[],
  { load, weigh }: KeyedSource<Value>,
): (key: number, comment?: string) => Promise<Value> {
  const cached = new BoundedCache<Promise<Value>, number>(keyedBounds);
  changes.onChange(collections, () => {
    cached.clear();
  });
  return (key, comment) => {
    if (!changes.isListening) return load(key, comment);
    const known = cached.get(key);
    if (known !== undefined) return known;
    const loading = load(key, comment);
    cached.set(key, loading, 0);
    // If a write has dropped the promise meanwhile, its value may be older than the write.
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
