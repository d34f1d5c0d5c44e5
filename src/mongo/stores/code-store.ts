import { collections } from '../../schema/collections.js';
import { inWriteTime } from '../send/calls.js';
import { type Database, inSession } from '../send/database.js';
import { readAll } from '../send/read-commands.js';

/** Values that project code stores by name. */
export interface CodeStore {
  /** Null if there is none. */
  get(key: string): Promise<unknown>;
  set(key: string, value: unknown): Promise<void>;
  delete(key: string): Promise<void>;
}

interface StoredValue {
  readonly _id: string;
  readonly value: unknown;
}

/** Returns the stored values of project code, which are read and written in the transaction of the database, if it has one. */
export function openCodeStore(database: Database): CodeStore {
  const values = database.db.collection<StoredValue>(collections.codeStore);
  return {
    get: async (key) => {
      const [stored] = await readAll(database, { find: collections.codeStore, filter: { _id: key }, limit: 1 });
      return stored === undefined ? null : ((stored['value'] ?? null) as unknown);
    },
    set: async (key, value) => {
      await inWriteTime(database, () =>
        values.replaceOne({ _id: key }, { value }, { upsert: true, ...inSession(database.session) }),
      );
    },
    delete: async (key) => {
      await inWriteTime(database, () => values.deleteOne({ _id: key }, inSession(database.session)));
    },
  };
}
