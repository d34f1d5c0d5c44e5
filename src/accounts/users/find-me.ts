import { collections } from '#model/schema/collections.js';
import type { ContentContext } from '#content/content-context.js';
import { findStored } from '#store/stored.js';
import { findStoredUser, userUid } from '../user-store.js';

/** A user with the role, without an envelope, as shown to that user. Hidden attributes are null. */
export interface Me {
  readonly id: number;
  readonly username: string | null;
  readonly email: string | null;
  readonly confirmed: boolean | null;
  readonly blocked: boolean | null;
  readonly role: {
    readonly id: number;
    readonly name: string;
    readonly description: string | null;
    readonly type: string | null;
  } | null;
}

/** Returns the user of an id without the attributes that a rule hides from the caller; null if there is no such user. */
export async function findMe(id: number, content: ContentContext): Promise<Me | null> {
  const user = await findStoredUser(content, { _id: id });
  if (user === null) return null;
  const hidden = content.bind.access.hidden.get(userUid);
  const shown = <Name extends 'username' | 'email' | 'confirmed' | 'blocked' | 'role'>(name: Name) =>
    hidden?.has(name) ? null : user[name];
  return {
    id,
    username: shown('username'),
    email: shown('email'),
    confirmed: shown('confirmed'),
    blocked: shown('blocked'),
    role: await findRole(shown('role'), content),
  };
}

async function findRole(id: number | null, { store }: ContentContext): Promise<Me['role']> {
  if (id === null) return null;
  const [role] = await findStored(store.database, collections.roles, { match: { _id: id }, limit: 1 });
  if (role === undefined) return null;
  const text = (name: string): string | null => (typeof role[name] === 'string' ? role[name] : null);
  return { id: Number(role['_id']), name: text('name') ?? '', description: text('description'), type: text('type') };
}
