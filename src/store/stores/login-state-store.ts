import { collections } from '#model/schema/collections.js';
import { inWriteTime } from '../send/calls.js';
import { commentIn, type Database } from '../send/database.js';
import type { OwnCollection } from '../send/ensure-collections.js';

/** The state between two requests of a login through another service, stored by the hash of a secret. */
interface LoginState {
  readonly _id: string;
  readonly value: unknown;
  readonly expiresAt: Date;
}

const statesIn = ({ db }: Database) => db.collection<LoginState>(collections.loginStates);

/** The collection of the states. The server deletes expired ones. */
export const loginStateCollection: OwnCollection = {
  name: collections.loginStates,
  indexes: [{ key: { expiresAt: 1 }, name: 'expiresAt_1', expireAfterSeconds: 0 }],
};

/** Stores a state. */
export async function putLoginState(database: Database, state: LoginState): Promise<void> {
  await inWriteTime(database, () => statesIn(database).insertOne(state, commentIn(database)));
}

/** Removes and returns a state, so that it can be used only once; null if there is none, or it has expired. */
export async function takeLoginState<Value>(database: Database, id: string): Promise<Value | null> {
  const found = await inWriteTime(database, () => statesIn(database).findOneAndDelete({ _id: id }, commentIn(database)));
  return found === null || found.expiresAt.getTime() <= Date.now() ? null : (found.value as Value); // stored in this form
}
