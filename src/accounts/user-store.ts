import { collections } from '#model/schema/collections.js';
import { knownUser, type KnownUser } from '#content/rights/caller.js';
import { type ContentContext, ownType, withAccess } from '#content/content-context.js';
import { refuseOrLog } from '#content/refuse-or-log.js';
import type { Change } from '#store/write/compile-change.js';
import type { Document } from '#store/send/database.js';
import { findStored } from '#store/stored.js';
import { entryStore } from '#store/write/write-entries.js';
import { type Access, allows, fullAccess, actionOf } from '#model/query/access.js';
import type { ContentType } from '#model/schema/content-type.js';
import type { Values } from '#base/values.js';

export const userUid = 'plugin::users-permissions.user';
export const roleUid = 'plugin::users-permissions.role';

/** A user with the stored values that answers never contain. */
export interface StoredUser extends KnownUser {
  readonly password: string | null;
  readonly document: Document;
}

/** Returns the first user whose stored document matches a filter; null if there is none. */
export const findStoredUser = async (content: ContentContext, filter: Document): Promise<StoredUser | null> =>
  (await findStoredUsers(content, filter, 1))[0] ?? null;

/** Returns the users whose stored documents match a filter, sorted by id, up to a limit. */
export async function findStoredUsers({ store }: ContentContext, filter: Document, limit: number): Promise<StoredUser[]> {
  const documents = await findStored(store.database, collections.users, { match: filter, sort: { _id: 1 }, limit });
  return documents.map(storedUser);
}

const storedUser = (document: Document): StoredUser => ({
  ...knownUser(document),
  password: typeof document['password'] === 'string' ? document['password'] : null,
  document,
});

/** Changes one user in one command, and returns the changed user; null if none matches. */
export const changeStoredUser = (content: ContentContext, match: Document, change: Change): Promise<StoredUser | null> =>
  noteOnUser(content, match, { ...change, set: { ...change.set, updatedAt: new Date() } });

/** Changes values of a user that are no attributes. Unlike other changes it leaves `updatedAt`. */
export async function noteOnUser({ store }: ContentContext, match: Document, change: Change): Promise<StoredUser | null> {
  const document = await entryStore.update(store, collections.users, { match, change });
  return document === null ? null : storedUser(document);
}

/** Returns the context for operations of the service itself, with full access. */
export const asService = (content: ContentContext): ContentContext => withAccess(content, fullAccess);

/**
 * Returns the context for writing users. Relations can be written only to entries that the caller may see. The caller must
 * already have removed attributes of users that a rule hides.
 */
export function asWriter(content: ContentContext): ContentContext {
  const { access } = content.bind;
  const hidden = new Map([...access.hidden].filter(([uid]) => uid !== userUid));
  return withAccess(content, { ...access, hidden });
}

/**
 * Returns the context for writing users with any role. As in Strapi v4, callers who may write users may assign roles without the
 * right to see them.
 */
export function asRoleGiver(content: ContentContext): ContentContext {
  const writer = asWriter(content);
  const { access } = writer.bind;
  const seeRoles = actionOf(roleUid, 'find');
  if (allows(access, seeRoles) || access.grants.kind !== 'actions') return writer;
  const grants = { kind: 'actions', actions: new Set([...access.grants.actions, seeRoles]) } as const;
  return withAccess(writer, { ...access, grants });
}

/**
 * Returns the body of a user without the attributes that field rules hide, and tells of them. Throws a ValidationError instead in
 * strict mode.
 */
export function permitted(body: Values, hidden: Access['hidden'], content: ContentContext): Values {
  const names = hidden.get(userUid);
  if (names === undefined) return body;
  const refused = Object.keys(body).filter((name) => names.has(name));
  const remedy = 'allow it in the field rule of the role, or do not send it';
  const message = (name: string): string => `${name} of a user is not written, because a field rule hides it`;
  refuseOrLog(
    refused.map((name) => ({ path: [name], message: message(name), remedy })),
    content,
  );
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.has(name)));
}

export const userType = (content: ContentContext): ContentType => ownType(content, userUid);
export const roleType = (content: ContentContext): ContentType => ownType(content, roleUid);
