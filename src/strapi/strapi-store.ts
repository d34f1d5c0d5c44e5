import type { CodeStore } from '../mongo/stores/code-store.js';

/** Which value is meant: `{ type: 'plugin', name: 'my-plugin', key: 'settings' }`. */
export interface StoreKey {
  /** `core` unless given. */
  readonly type?: string;
  readonly name?: string;
  readonly key?: string;
  readonly environment?: string;
}

export interface NamedStore {
  /** Null if there is no such value. */
  get(key?: StoreKey): Promise<unknown>;
  set(value: StoreKey & { readonly value: unknown }): Promise<void>;
  delete(key?: StoreKey): Promise<void>;
}

/** `strapi.store`: a function of a part of the key, with the methods for whole keys. */
export type StrapiStore = ((source?: StoreKey) => NamedStore) & NamedStore;

/** Returns the value of a key that the service has; null if it has none. */
export type ReadSettings = (key: string) => Promise<unknown>;

/**
 * Keeps values of code in the database. `open` throws a 503 before there is one. Settings of the service are read where code has stored
 * nothing.
 */
export function createStrapiStore(open: () => CodeStore, settings: ReadSettings): StrapiStore {
  const named = (source: StoreKey = {}): NamedStore => ({
    get: async (key) => {
      const name = keyOf({ ...source, ...key });
      return (await open().get(name)) ?? settings(name);
    },
    set: ({ value, ...key }) => open().set(keyOf({ ...source, ...key }), value),
    delete: (key) => open().delete(keyOf({ ...source, ...key })),
  });
  return Object.assign(named, named());
}

function keyOf({ type = 'core', name, key, environment }: StoreKey): string {
  if (key === undefined) throw new Error('strapi.store: a key is needed');
  return [type, name, environment, key].filter((part) => part !== undefined && part !== '').join('_');
}
