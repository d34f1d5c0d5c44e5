import { collections } from '#model/schema/collections.js';
import type { ChangeBus } from '../changes/changes.js';
import { inWriteTime } from '../send/calls.js';
import { type Database, inScope } from '../send/database.js';
import { afterCommit } from '../send/transaction.js';
import { findFirst, findStored } from '../stored.js';

/** The beginning of the keys of views in the store of Strapi v4: how the panel shows the entries of a type or a component. */
export const viewPrefix = 'plugin_content_manager_configuration_';

/** Returns the uid of the type or component in the key of a view; empty for other settings. */
export const uidOfView = (key: string): string => (key.startsWith(viewPrefix) ? key.slice(key.indexOf('::') + 2) : '');

/** The key of the logos of the panel in the store of Strapi v4. */
export const logosKey = 'core_admin_project-settings';

/** Values that project code stores by name. */
export interface CodeStore {
  /** Null if there is none. */
  get(key: string): Promise<unknown>;
  set(key: string, value: unknown): Promise<void>;
  delete(key: string): Promise<void>;
  /** Returns all values by key. */
  all(): Promise<ReadonlyMap<string, unknown>>;
}

interface StoredValue {
  readonly _id: string;
  readonly value: unknown;
}

/** Returns the stored values of project code, which are read and written in the transaction of the database, if it has one. */
export function openCodeStore(database: Database): CodeStore {
  const values = database.db.collection<StoredValue>(collections.codeStore);
  return {
    get: async (key) => ((await findFirst(database, collections.codeStore, { _id: key }))?.['value'] ?? null) as unknown,
    set: async (key, value) => {
      await inWriteTime(database, () => values.replaceOne({ _id: key }, { value }, { upsert: true, ...inScope(database) }));
    },
    delete: async (key) => {
      await inWriteTime(database, () => values.deleteOne({ _id: key }, inScope(database)));
    },
    all: async () => new Map((await findStored(database, collections.codeStore)).map(({ _id, value }) => [String(_id), value])),
  };
}

/** Stores a setting of the service under its key in Strapi v4, and tells caches after the commit. */
export async function storeSetting(
  key: string,
  value: unknown,
  { database, changes }: { readonly database: Database; readonly changes: ChangeBus },
): Promise<void> {
  await openCodeStore(database).set(key, value);
  await afterCommit(database, async () => {
    changes.changed(collections.codeStore);
  });
}
