import type { ContentContext } from '../content/content-context.js';
import { readAll } from '../mongo/database.js';
import { findStoredUser } from './user-store.js';

/** A user with its role, flat, as only that user gets to see it. */
export interface Me {
  readonly id: number;
  readonly username: string;
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

/** The user of that id; null where there is none. */
export async function findMe(id: number, content: ContentContext): Promise<Me | null> {
  const user = await findStoredUser(content, { _id: id });
  if (user === null) return null;
  const { username, email, confirmed, blocked } = user;
  return { id, username, email, confirmed, blocked, role: await findRole(user.role, content) };
}

async function findRole(id: number | null, { store }: ContentContext): Promise<Me['role']> {
  const [role] = await readAll(store.database, { find: 'up_roles', filter: { _id: id }, limit: 1 });
  if (role === undefined) return null;
  const text = (name: string): string | null => (typeof role[name] === 'string' ? role[name] : null);
  return { id: Number(role['_id']), name: text('name') ?? '', description: text('description'), type: text('type') };
}
