import { collections } from '../../schema/collections.js';
import { inWriteTime } from '../send/calls.js';
import { commentIn, type Database } from '../send/database.js';

/** The state between two requests of a login through another service, stored by the hash of a secret. */
interface LoginState<Value> {
  readonly _id: string;
  readonly value: Value;
  readonly expiresAt: Date;
}

interface LoginStateStore<Value> {
  put(state: LoginState<Value>): Promise<void>;
  /** Removes and returns a state, so that it can be used only once; null if there is none, or it has expired. */
  take(id: string): Promise<Value | null>;
}

/** Returns the states in `_login_states`. The server deletes expired ones. */
export function loginStateStore<Value>(database: Database): LoginStateStore<Value> {
  const states = database.db.collection<{ readonly _id: string; readonly expiresAt: Date }>(collections.loginStates);
  return {
    put: async (state) => {
      await inWriteTime(database, () => states.createIndex({ expiresAt: 1 }, { expireAfterSeconds: 0, ...commentIn(database) }));
      await inWriteTime(database, () => states.insertOne(state, commentIn(database)));
    },
    take: async (id) => {
      const found = await inWriteTime(database, () => states.findOneAndDelete({ _id: id }, commentIn(database)));
      if (found === null || found.expiresAt.getTime() <= Date.now()) return null;
      return (found as unknown as LoginState<Value>).value; // stored in this form
    },
  };
}
