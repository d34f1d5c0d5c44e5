import type { TokenFault } from '../errors.js';
import { collections } from '../schema/collections.js';
import { type Database, type Document, readAll } from '../mongo/database.js';
import type { Access } from '../query/access.js';
import type { ApiToken } from './api-token.js';
import type { Role } from './role.js';

/** The values of a user that decide about requests. */
export interface KnownUser {
  readonly id: number;
  readonly username: string;
  readonly email: string;
  readonly role: number | null;
  readonly blocked: boolean;
  readonly confirmed: boolean;
  /** Rises with every change of the password: tokens of another version are refused. */
  readonly tokenVersion: number;
}

const projection = { username: 1, email: 1, role: 1, blocked: 1, confirmed: 1, _tokenVersion: 1 };

/** The user of that id, or null. */
export async function readUser(database: Database, id: number): Promise<KnownUser | null> {
  const [document] = await readAll(database, { find: collections.users, filter: { _id: id }, projection, limit: 1 });
  return document === undefined ? null : knownUser(document);
}

/** Returns the approximate size of a user in memory, in bytes. */
export const weighUser = (user: KnownUser | null): number =>
  user === null ? 0 : 200 + 2 * (user.username.length + user.email.length);

export const knownUser = (document: Document): KnownUser => ({
  id: Number(document['_id']),
  username: String(document['username'] ?? ''),
  email: String(document['email'] ?? ''),
  role: typeof document['role'] === 'number' ? document['role'] : null,
  blocked: document['blocked'] === true,
  confirmed: document['confirmed'] === true,
  tokenVersion: Number(document['_tokenVersion'] ?? 0),
});

/** The sender of a request and their rights. */
export type Caller =
  | {
      readonly kind: 'public';
      readonly access: Access;
      /** Whether the public role has no grants. Requests are then answered by 401 instead of 403. */
      readonly publicRoleIsEmpty: boolean;
      /** Why the token of a user is no longer valid and was ignored; null if none was sent. */
      readonly ended: TokenFault | null;
    }
  | {
      readonly kind: 'user';
      readonly access: Access;
      readonly user: KnownUser;
      readonly role: Role | null;
      /** Actions that the user may do without credentials. */
      readonly publicActions: ReadonlySet<string>;
    }
  | { readonly kind: 'token'; readonly access: Access; readonly token: ApiToken };
