import type { TokenFault } from '#base/errors.js';
import { collections } from '#model/schema/collections.js';
import type { Database, Document } from '#store/send/database.js';
import { findStored } from '#store/stored.js';
import type { Change } from '#store/write/compile-change.js';
import type { Access } from '#model/query/access.js';
import type { ContentType } from '#model/schema/content-type.js';
import { bytesOf, type Values } from '#base/values.js';
import type { ApiToken } from './api-token.js';
import type { Role } from './role.js';

/** The values of a user that authentication and authorization need. */
export interface KnownUser {
  readonly id: number;
  readonly username: string;
  readonly email: string;
  readonly role: number | null;
  readonly blocked: boolean;
  readonly confirmed: boolean;
  /** Whether the address is confirmed, and was not chosen by the user without a confirmation. */
  readonly isEmailProven: boolean;
  /** Version of the user's tokens, which increases to revoke them. Tokens of another version are refused. */
  readonly tokenVersion: number;
  /** Tokens without a version are refused if they were issued before this time, in milliseconds since 1970. */
  readonly tokensFrom: number;
}

/** A user who sends requests. */
export interface CallingUser extends KnownUser {
  /** The stored user, of which code of a project sees all values. */
  readonly document: Document;
}

/** Reads the user of an id; null if there is none. */
export async function readUser(database: Database, id: number): Promise<CallingUser | null> {
  const [document] = await findStored(database, collections.users, { match: { _id: id }, limit: 1 });
  return document === undefined ? null : { ...knownUser(document), document };
}

/** Returns the approximate size of a user in memory, in bytes. */
export const weighUser = (user: CallingUser | null): number => (user === null ? 0 : 200 + 2 * bytesOf(user.document));

export const knownUser = (document: Document): KnownUser => ({
  id: Number(document['_id']),
  username: String(document['username'] ?? ''),
  email: String(document['email'] ?? ''),
  role: typeof document['role'] === 'number' ? document['role'] : null,
  blocked: document['blocked'] === true,
  confirmed: document['confirmed'] === true,
  isEmailProven: document['confirmed'] === true && document['_chosenEmail'] !== true,
  tokenVersion: Number(document['_tokenVersion'] ?? 0),
  // a user whose tokens were revoked before times were stored has a version only
  tokensFrom: Number(document['_tokensFrom'] ?? (document['_tokenVersion'] === undefined ? 0 : Infinity)),
});

/** Returns a change of a user that also ends all tokens and forgets the clients that have logged in. */
export const endingTokens = (set: Values = {}): Change => ({
  set: { ...set, _clients: [], _tokensFrom: Date.now() },
  increase: { _tokenVersion: 1 },
});

/** Returns the change of an entry that sets values. Those of a user with a new password also end the tokens of the user. */
export const settingValues = ({ uid }: ContentType, set: Values): Change =>
  uid === 'plugin::users-permissions.user' && Object.hasOwn(set, 'password') ? endingTokens(set) : { set };

/** The sender of a request and their rights. */
export type Caller =
  | {
      readonly kind: 'public';
      readonly access: Access;
      /** Whether the public role has no grants. Refused requests are then answered with 401 instead of 403. */
      readonly publicRoleIsEmpty: boolean;
      /** The reason why a user's token was ignored; null if none was ignored. */
      readonly ended: TokenFault | null;
    }
  | {
      readonly kind: 'user';
      readonly access: Access;
      readonly user: CallingUser;
      /** The user as project code has read it; absent unless code replaces the reading of users. */
      readonly fetched?: Values;
      readonly role: Role | null;
      /** Actions of the public role. */
      readonly publicActions: ReadonlySet<string>;
    }
  | { readonly kind: 'token'; readonly access: Access; readonly token: ApiToken };
