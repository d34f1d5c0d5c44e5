import type { Values } from '#base/values.js';

/** What code may add to the rights of administrators, and ask of them, in `strapi.admin.services.permission`. */
export interface Provider {
  /** Adds an item. Rejects with a ValidationError if it is invalid, and with an Error if there is one of its name. */
  register(item: Values): Promise<Provider>;
  registerMany(items: readonly Values[]): Promise<Provider>;
  get(id: string): object | undefined;
  has(id: string): boolean;
  keys(): readonly string[];
  values(): readonly object[];
  size(): number;
}

interface ProviderParts {
  /** The name of the items in messages. */
  readonly what: string;
  /** Whether `bootstrap` has run, after which nothing is added. */
  readonly isLoaded: () => boolean;
  /** Returns all items by their full names. */
  readonly known: () => ReadonlyMap<string, object>;
  /** Returns the full name of an item and the function that adds it. Throws a ValidationError if it is invalid. */
  readonly read: (item: unknown) => readonly [id: string, add: () => unknown];
}

/** Returns a provider for code. */
export function createProvider({ what, isLoaded, known, read }: ProviderParts): Provider {
  const provider: Provider = {
    register: async (item) => {
      await Promise.resolve();
      if (isLoaded()) throw new Error(`You can't register new ${what} outside of the bootstrap function.`);
      const [id, add] = read(item);
      if (known().has(id)) throw new Error(`Duplicated item key: ${id}`);
      add();
      return provider;
    },
    registerMany: async (items) => {
      for (const item of items) await provider.register(item);
      return provider;
    },
    get: (id) => known().get(id),
    has: (id) => known().has(id),
    keys: () => [...known().keys()],
    values: () => [...known().values()],
    size: () => known().size,
  };
  return provider;
}

/** Returns the name of an item with its plugin: `plugin::tool.name`, `admin::name` or `api::name`. */
export function fullName(name: string, plugin: unknown): string {
  if (typeof plugin !== 'string' || plugin === '') return `api::${name}`;
  return plugin === 'admin' ? `admin::${name}` : `plugin::${plugin}.${name}`;
}
