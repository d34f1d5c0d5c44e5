import type { Document } from '../mongo/database.js';
import { knownUser, usersCollection, type KnownUser } from '../access/known-user.js';
import type { ContentContext } from '../content/content-context.js';
import { readAll } from '../mongo/database.js';
import { updateEntry } from '../mongo/write-entries.js';
import { fullAccess } from '../query/access.js';
import { roleUid, userUid } from './uids.js';
import type { ContentType } from '../schema/content-type.js';

/** A user with what no answer shows. */
export interface StoredUser extends KnownUser {
  readonly password: string | null;
  readonly document: Document;
}

/** The first user that meets a filter on the stored documents; null where none does. */
export async function findStoredUser({ store }: ContentContext, filter: Document): Promise<StoredUser | null> {
  const [document] = await readAll(store.database, { find: usersCollection, filter, sort: { _id: 1 }, limit: 1 });
  return document === undefined ? null : storedUser(document);
}

export const storedUser = (document: Document): StoredUser => ({
  ...knownUser(document),
  password: typeof document['password'] === 'string' ? document['password'] : null,
  document,
});

/** Changes one user in one command, and gives it as it is then; null where none meets the filter. */
export async function changeStoredUser(
  { store }: ContentContext,
  match: Document,
  update: { readonly $set: Document; readonly $inc?: Document },
): Promise<StoredUser | null> {
  const change = { ...update, $set: { ...update.$set, updatedAt: new Date() } };
  const document = await updateEntry(store, usersCollection, { match, update: change, projection: {} });
  return document === null ? null : storedUser(document);
}

/** The context of what the service itself does, whoever asked for it. */
export const asService = (content: ContentContext): ContentContext => ({
  ...content,
  bind: { ...content.bind, access: fullAccess },
});

/**
 * The context of a write of users: every action is granted, as in the reference, which asks for the right to the route alone
 * (rest.md 11.4); the rows that rules hide from the caller stay hidden.
 */
export const asWriter = (content: ContentContext): ContentContext => ({
  ...content,
  bind: { ...content.bind, access: { ...fullAccess, rules: content.bind.access.rules } },
});

export const userType = (content: ContentContext): ContentType => typeOf(content, userUid);
export const roleType = (content: ContentContext): ContentType => typeOf(content, roleUid);

function typeOf({ bind }: ContentContext, uid: string): ContentType {
  const type = bind.registry.types.get(uid);
  if (type === undefined) throw new Error(`the type ${uid} is missing`);
  return type;
}
