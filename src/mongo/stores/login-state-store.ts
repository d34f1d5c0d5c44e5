import type { Db } from 'mongodb';
import { oncePer } from '../../caches.js';
import { collections } from '../../schema/collections.js';
import { inWriteTime } from '../send/calls.js';
import { commentIn, type Database } from '../send/database.js';

/** The state between two requests of a login through another service, stored by the hash of a secret. */
interface LoginState {
  readonly _id: string;
  readonly value: unknown;
  readonly expiresAt: Date;
}

const statesIn = ({ db }: Database) => db.collection<LoginState>(collections.loginStates);

const indexed = oncePer<Db>();

/** Stores a state in `_login_states`. The server deletes expired ones. */
export async function putLoginState(database: Database, state: LoginState): Promise<void> {
  const [states, own] = [statesIn(database), commentIn(database)];
  const index = () => inWriteTime(database, () => states.createIndex({ expiresAt: 1 }, { expireAfterSeconds: 0, ...own }));
  await indexed(database.db, index);
  await inWriteTime(database, () => states.insertOne(state, own));
}

/** Removes and returns a state, so that it can be used only once; null if there is none, or it has expired. */
export async function takeLoginState<Value>(database: Database, id: string): Promise<Value | null> {
  const found = await inWriteTime(database, () => statesIn(database).findOneAndDelete({ _id: id }, commentIn(database)));
  return found === null || found.expiresAt.getTime() <= Date.now() ? null : (found.value as Value); // stored in this form
}
