import type { Backend } from '../mongo/open-backend.js';

/** What is needed to know when something that was read is no longer so. */
export type Changes = Pick<Backend, 'onChange' | 'isListening'>;

/**
 * Reads a value once and keeps it until one of its collections is written to, by this or another instance. While the writes of
 * others are not heard of it is read every time.
 */
export function keep<Value>(changes: Changes, collections: readonly string[], load: () => Promise<Value>): () => Promise<Value> {
  const read = keepEach(changes, collections, load);
  return () => read('only');
}

/** The same for a value per key. All are dropped with any write, since a write does not say which it was. */
export function keepEach<Key, Value>(
  changes: Changes,
  collections: readonly string[],
  load: (key: Key) => Promise<Value>,
): (key: Key) => Promise<Value> {
  let kept = new Map<Key, Promise<Value>>();
  changes.onChange(collections, () => {
    kept = new Map();
  });
  return (key) => {
    if (!changes.isListening()) return load(key);
    const known = kept.get(key);
    if (known !== undefined) return known;
    // What is written from here on drops the map that the value goes into, so nothing stale is ever kept.
    const map = kept;
    if (map.size >= mostKept) map.clear();
    const loading = load(key);
    map.set(key, loading);
    loading.catch(() => map.delete(key));
    return loading;
  };
}

const mostKept = 10_000;
