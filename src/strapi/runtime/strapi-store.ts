import type { CodeStore } from '../../mongo/stores/code-store.js';

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
  read(): Promise<unknown>;
  write(value: unknown): Promise<void>;
}

/**
 * Creates a store of values of code in the database. `open` throws a 503 until the database has answered. Keys of settings of the
 * service read and change these.
 */
export function createStrapiStore(open: () => CodeStore, settings: ReadonlyMap<string, StoreSetting>): StrapiStore {
  const named = (source: StoreKey = {}): NamedStore => ({
    get: async (key) => {
      const name = keyOf({ ...source, ...key });
      return settings.get(name)?.read() ?? open().get(name);
    },
    set: ({ value, ...key }) => {
      const name = keyOf({ ...source, ...key });
      return settings.get(name)?.write(value) ?? open().set(name, value);
    },
    delete: (key) => open().delete(keyOf({ ...source, ...key })),
  });
  return Object.assign(named, named());
}

function keyOf({ type = 'core', name, key, environment }: StoreKey): string {
  if (key === undefined) throw new Error('strapi.store: a key is needed');
  return [type, name, environment, key].filter((part) => part !== undefined && part !== '').join('_');
}
