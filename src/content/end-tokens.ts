import type { Change } from '../mongo/write/compile-change.js';
import type { ContentType } from '../schema/content-type.js';
import type { Values } from '../values.js';

/** Returns a change of a user that also ends all tokens and forgets the clients that have logged in. */
export const endingTokens = (set: Values = {}): Change => ({
  set: { ...set, _clients: [], _tokensFrom: Date.now() },
  increase: { _tokenVersion: 1 },
});

/** Returns the change of an entry that sets values. Those of a user with a new password also end the tokens of the user. */
export const settingValues = ({ uid }: ContentType, set: Values): Change =>
  uid === 'plugin::users-permissions.user' && Object.hasOwn(set, 'password') ? endingTokens(set) : { set };
