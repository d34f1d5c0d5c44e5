import type { CodeStore } from '#store/stores/code-store.js';
import { toJson } from '#model/schema/code-values.js';

/** The key of a value: `{ type: 'plugin', name: 'my-plugin', key: 'settings' }`. */
export interface StoreKey {
  /** `core` by default. */
  readonly type?: string;
  readonly name?: string;
  readonly key?: string;
  readonly environment?: string;
}

export interface NamedStore {
  /** Returns null if there is no such value. */
  get(key?: StoreKey): Promise<unknown>;
  set(value: StoreKey & { readonly value: unknown }): Promise<void>;
  delete(key?: StoreKey): Promise<void>;
}

/** `strapi.store`: a function that sets parts of the key, and methods that take the whole key. */
export type StrapiStore = ((source?: StoreKey) => NamedStore) & NamedStore;

/** A setting of the service that Strapi v4 has in its store. */
export interface StoreSetting {
  readonly read: () => Promise<unknown>;
  readonly write: (value: unknown) => Promise<void>;
  /** Gives the setting its default. */
  readonly remove: () => Promise<void>;
}

/** The settings of the service that Strapi v4 has in its store, by key. */
export interface StoreSettings {
  /** The keys of the settings that have a value always. */
  readonly keys: readonly string[];
  /** Returns the setting of a key; null if the key has another value. */
  readonly of: (key: string) => StoreSetting | null;
}

/**
 * Returns the values of a store in which the keys of settings read and change these. `open` throws a 503 until the database has answered.
 */
export const withSettings = (open: () => CodeStore, settings: StoreSettings): CodeStore => ({
  get: async (key) => settings.of(key)?.read() ?? open().get(key),
  set: async (key, value) => settings.of(key)?.write(value) ?? open().set(key, value),
  delete: async (key) => settings.of(key)?.remove() ?? open().delete(key),
  all: async () => {
    const read = settings.keys.map(async (key) => [key, await settings.of(key)?.read()] as const);
    return new Map([...(await open().all()), ...(await Promise.all(read))]);
  },
});

/** Creates a store of values of code in the database. */
export function createStrapiStore(values: CodeStore): StrapiStore {
  const named = (source: StoreKey = {}): NamedStore => ({
    get: async (key) => values.get(keyOf({ ...source, ...key })),
    set: async ({ value, ...key }) => {
      const name = keyOf({ ...source, ...key });
      await values.set(name, toJson(value, `strapi.store: ${name}`) ?? null);
    },
    delete: async (key) => values.delete(keyOf({ ...source, ...key })),
  });
  return Object.assign(named, named());
}

function keyOf({ type = 'core', name, key, environment }: StoreKey): string {
  if (key === undefined) throw new Error('strapi.store: a key is needed');
  return [type, name, environment, key].filter((part) => part !== undefined && part !== '').join('_');
}
