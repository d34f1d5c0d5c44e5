import { countMatching, findFirst, findStored } from '#store/stored.js';
import type { Database, Document } from '#store/send/database.js';
import { is, type Match } from '#store/form/matches.js';
import { collections } from '#model/schema/collections.js';
import { textOrNull } from '#base/values.js';

/** The code of the role that has all rights. It cannot be edited. */
export const superAdminCode = 'strapi-super-admin';

/** A role of administrators. */
export interface AdminRole {
  readonly id: number;
  readonly name: string;
  readonly code: string;
  readonly description: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The values of an administrator that a log-in answers. */
interface Profile {
  readonly id: number;
  readonly firstname: string | null;
  readonly lastname: string | null;
  readonly username: string | null;
  readonly email: string;
  readonly isActive: boolean;
  readonly blocked: boolean;
  readonly preferedLanguage: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A stored administrator. Besides the profile, only roles are ever shown. */
export interface Administrator extends Profile {
  readonly profile: Profile;
  readonly roles: readonly AdminRole[];
  /** The hash of the password; null if the administrator has not registered yet. */
  readonly password: string | null;
  /** Version of the tokens, which increases to revoke them. */
  readonly tokenVersion: number;
  /** Log-ins whose tokens are no longer valid. */
  readonly endedLogIns: readonly string[];
  /** Whether a sign-on provider knows the administrator, who then has no log-in by password. */
  readonly signsOn: boolean;
  readonly document: Document;
}

const dateOf = (value: unknown): Date => (value instanceof Date ? value : new Date(0));

export const adminRole = (document: Document): AdminRole => ({
  id: Number(document['_id']),
  name: String(document['name']),
  code: String(document['code']),
  description: textOrNull(document['description']),
  createdAt: dateOf(document['createdAt']),
  updatedAt: dateOf(document['updatedAt']),
});

/** Returns all roles, by id. */
export async function readAdminRoles(database: Database): Promise<ReadonlyMap<number, AdminRole>> {
  const documents = await findStored(database, collections.adminRoles, { sort: { _id: 1 } });
  return new Map(documents.map(adminRole).map((role) => [role.id, role]));
}

/** Returns the ids of a stored list of links. */
const idsIn = (value: unknown): readonly number[] => (Array.isArray(value) ? value.map(Number) : []);

const profileOf = (document: Document): Profile => ({
  id: Number(document['_id']),
  firstname: textOrNull(document['firstname']),
  lastname: textOrNull(document['lastname']),
  username: textOrNull(document['username']),
  email: String(document['email'] ?? ''),
  isActive: document['isActive'] === true,
  blocked: document['blocked'] === true,
  preferedLanguage: textOrNull(document['preferedLanguage']),
  createdAt: dateOf(document['createdAt']),
  updatedAt: dateOf(document['updatedAt']),
});

/** Returns the stored list of log-ins that have ended. */
export const endedIn = ({ _endedLogIns: stored }: Document): readonly string[] =>
  Array.isArray(stored) ? stored.map(String) : [];

export function administratorOf(document: Document, roles: ReadonlyMap<number, AdminRole>): Administrator {
  const profile = profileOf(document);
  return {
    ...profile,
    profile,
    roles: idsIn(document['roles']).flatMap((id) => roles.get(id) ?? []),
    password: textOrNull(document['password']),
    tokenVersion: Number(document['_tokenVersion'] ?? 0),
    endedLogIns: endedIn(document),
    signsOn: typeof document['_identity'] === 'string',
    document,
  };
}

/** Returns the first administrator of a match with the stored values; null if there is none. */
export async function findAdministrator(database: Database, match: Match): Promise<Administrator | null> {
  const [document, roles] = await Promise.all([findFirst(database, collections.administrators, match), readAdminRoles(database)]);
  return document === null ? null : administratorOf(document, roles);
}

/** Returns the number of administrators with a role. */
export const countWithRole = (database: Database, roleId: number): Promise<number> =>
  countMatching(database, collections.administrators, { roles: is.oneOf([roleId]) });

/** Returns an administrator with roles, as all answers but those of log-ins show one. */
export const shownAdministrator = ({ profile, roles }: Administrator) => ({
  ...profile,
  roles: roles.map(({ id, name, description, code }) => ({ id, name, description, code })),
});
