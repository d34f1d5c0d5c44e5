import { LRUCache } from 'lru-cache';
import type { Service } from './core-service.js';

const mebibyte = 1024 ** 2;

/** How many values are kept, and the bytes of all together. */
const bounds = { max: 32_767, maxSize: 64 * mebibyte };

/** Bytes of a value of the cache. */
const sizeOf = (text: string, key: string): number => 2 * (text.length + key.length) + 300;

/** How long a value is kept without `maxAge`, in milliseconds. */
const shortly = 3600;

const isAge = (age: unknown): age is number => typeof age === 'number' && age > 0;

/**
 * Creates the service `cacheStore` of the plugin rest-cache with the values that code sets, as JSON. They are in the memory of the
 * process, which has no answers of the service.
 */
export function createKeptValues(): Service {
  const values = new LRUCache<string, string>({ ...bounds, sizeCalculation: sizeOf });
  const del = (keys: unknown): Promise<void> => {
    for (const key of [keys].flat()) values.delete(String(key));
    return Promise.resolve();
  };
  return {
    ready: true,
    get: (key: unknown) => {
      const text = values.get(String(key));
      return Promise.resolve(text === undefined ? null : (JSON.parse(text) as { readonly data: unknown }).data);
    },
    /** `maxAge`: how long the value is kept, in milliseconds; anything but a positive number is without end. */
    set: (key: unknown, data: unknown, maxAge: unknown = shortly) => {
      values.set(String(key), JSON.stringify({ data }), isAge(maxAge) ? { ttl: Math.ceil(maxAge) } : {});
      return Promise.resolve();
    },
    del,
    keys: () => Promise.resolve([...values.keys()]),
    reset: () => del([...values.keys()]),
    clearByRegexp: (patterns: readonly RegExp[] = []) =>
      del([...values.keys()].filter((key) => patterns.some((pattern) => pattern.test(key)))),
    clearByUid: () => Promise.resolve(),
  };
}
