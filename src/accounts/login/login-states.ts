import { collections } from '#model/schema/collections.js';
import type { Database } from '#store/send/database.js';
import { ownRows } from '#store/write/own-rows.js';

/** The state between two requests of a login through another service, stored by the hash of a secret. */
interface LoginState {
  readonly _id: string;
  readonly value: unknown;
  readonly expiresAt: Date;
}

const states = ownRows<LoginState>(collections.loginStates);

/** A state is used only once, even if the transaction of the caller is rolled back. */
const outside = (database: Database): Database => ({ ...database, session: null });

/** Stores a state at once, without the transaction of the caller. */
export async function putLoginState(database: Database, state: LoginState): Promise<void> {
  await states.put(outside(database), state);
}

/** Removes and returns a state; null if there is none, or it has expired. */
export async function takeLoginState<Value>(database: Database, id: string): Promise<Value | null> {
  const state = await states.take(outside(database), { _id: id });
  return state === null || state.expiresAt.getTime() <= Date.now() ? null : (state.value as Value); // stored in this form
}
