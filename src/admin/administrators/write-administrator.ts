import { hashPassword } from '#content/hash-passwords.js';
import { applicationError, validationError } from '#base/errors.js';
import { type ContentContext, withDatabase } from '#content/content-context.js';
import { is, type Match } from '#store/form/matches.js';
import { DuplicateKey } from '#store/send/driver-errors.js';
import { inTransaction } from '#store/send/transaction.js';
import { claim } from '#store/stores/claim.js';
import { findFirst, findStored } from '#store/stored.js';
import type { Change } from '#store/write/compile-change.js';
import { type EntryDocument, entryStore } from '#store/write/write-entries.js';
import { collections } from '#model/schema/collections.js';
import type { Sender } from '#base/limits/queue.js';
import type { Values } from '#base/values.js';
import { object, string } from '../check-body.js';
import { administratorOf, readAdminRoles, superAdminCode, type Administrator } from './administrator.js';

/**
 * The values of an administrator that are written. `password` is plain; null removes it. `roles` are ids. `_identity` is the account at a
 * sign-on provider.
 */
export type AdministratorValues = Partial<{
  readonly firstname: string;
  readonly lastname: string | null;
  readonly username: string | null;
  readonly email: string;
  readonly password: string | null;
  readonly isActive: boolean;
  readonly preferedLanguage: string | null;
  readonly roles: readonly number[];
  /** The stored form of a code. */
  readonly registrationToken: string | null;
  /** The stored form of a code. */
  readonly resetPasswordToken: string | null;
  readonly _identity: string | null;
}>;

/** Returns whether an e-mail address belongs to an administrator other than `except`. */
export async function isEmailTaken(email: string, { store }: ContentContext, except = 0): Promise<boolean> {
  const administrator = await findFirst(store.database, collections.administrators, { email: is.exactly(email) });
  return administrator !== null && administrator['_id'] !== except;
}

/** Returns values with their e-mail address in lower case, as log-ins look for it. */
export const lowerEmail = ({ email, ...others }: Values): Values => ({
  ...others,
  ...(email !== undefined && { email: typeof email === 'string' ? email.toLowerCase() : email }),
});

/** Throws an ApplicationError if another administrator has just taken the address. */
function refuseTaken(error: unknown): never {
  throw error instanceof DuplicateKey ? applicationError('Email already taken') : error;
}

/** Stores a new administrator. The caller has checked the values. */
export async function insertAdministrator(
  values: AdministratorValues,
  { store }: ContentContext,
  sender: Sender | null = null,
): Promise<Administrator> {
  const [_id = 0] = await store.ids.next(collections.administrators, 1, { ...store.database, session: null });
  const document = newDocument(_id, await hashed(values, sender));
  await entryStore.insert(store, collections.administrators, document).catch(refuseTaken);
  return administratorOf(document, await readAdminRoles(store.database));
}

/** Returns the document of a new administrator. A password in the values is a hash. */
export function newDocument(_id: number, values: Values): EntryDocument {
  const now = new Date();
  const none = { firstname: null, lastname: null, username: null, email: null, password: null };
  const tokens = { resetPasswordToken: null, registrationToken: null };
  const state = { isActive: false, roles: [], blocked: false, preferedLanguage: null };
  return { _id, ...none, ...tokens, ...state, createdAt: now, updatedAt: now, ...values };
}

/**
 * Changes the administrator of a match; returns null if there is none. A new password and a deactivation end all tokens, and forget
 * the clients that have logged in. They and a new e-mail address end the codes that were sent before.
 */
export async function changeAdministrator(
  match: Match,
  values: AdministratorValues,
  { store }: ContentContext,
  sender: Sender | null = null,
): Promise<Administrator | null> {
  const endsTokens = values.password !== undefined || values.isActive === false;
  const ended = {
    ...(endsTokens && { _clients: [], _endedLogIns: [] }),
    ...((endsTokens || values.email !== undefined) && { resetPasswordToken: null }),
    ...(values.password !== undefined && { registrationToken: null }),
  };
  const change: Change = {
    set: { ...ended, ...(await hashed(values, sender)), updatedAt: new Date() },
    ...(endsTokens && { increase: { _tokenVersion: 1 } }),
  };
  const document = await entryStore.update(store, collections.administrators, { match, change }).catch(refuseTaken);
  return document === null ? null : administratorOf(document, await readAdminRoles(store.database));
}

/**
 * Changes an administrator. Returns null if there is none. Throws an ApplicationError for an address that is taken, and a ValidationError
 * if no active super admin would be left.
 */
export async function changeKeepingSuperAdmin(
  id: number,
  values: AdministratorValues,
  content: ContentContext,
  sender: Sender | null = null,
): Promise<Administrator | null> {
  if (values.email !== undefined && (await isEmailTaken(values.email, content, id)))
    throw applicationError('A user with this email address already exists');
  const loses = (role: number): boolean =>
    values.isActive === false || (values.roles !== undefined && !values.roles.includes(role));
  const work = (inside: ContentContext) => changeAdministrator({ _id: id }, values, inside, sender);
  return keepingSuperAdmin(content, { ids: [id], loses, work });
}

/** A change of some administrators. `loses` tells whether they are no active holders of a role afterwards. */
interface ChangeOfAdministrators<Result> {
  readonly ids: readonly number[];
  readonly loses: (role: number) => boolean;
  readonly work: (inside: ContentContext) => Promise<Result>;
}

/**
 * Runs a change of administrators, one at a time. Throws a ValidationError before it if no active super admin would be left, and an
 * ApplicationError during another one.
 */
export function keepingSuperAdmin<Result>(
  content: ContentContext,
  { ids, loses, work }: ChangeOfAdministrators<Result>,
): Promise<Result> {
  return inTransaction(content.store.database, (database) =>
    claim(database, 'administrators', {
      busy: () => applicationError('Another administrator is changed at this moment'),
      work: async () => {
        const roles = [...(await readAdminRoles(database)).values()];
        const role = roles.find(({ code }) => code === superAdminCode)?.id ?? 0;
        const match = { roles: is.oneOf([role]), isActive: true };
        const active = await findStored(database, collections.administrators, { match });
        if (active.length > 0 && loses(role) && active.every(({ _id }) => ids.includes(Number(_id))))
          throw validationError('You must have at least one user with super admin role.');
        return work(withDatabase(content, database));
      },
    }),
  );
}

/** Deletes administrators, and returns them in the order of their ids. */
export async function deleteAdministrators(ids: readonly number[], { store }: ContentContext): Promise<Administrator[]> {
  const roles = await readAdminRoles(store.database);
  const deleted: Administrator[] = [];
  for (const id of [...new Set(ids)].sort((a, b) => a - b)) {
    const document = await entryStore.remove(store, collections.administrators, { _id: id });
    if (document !== null) deleted.push(administratorOf(document, roles));
  }
  return deleted;
}

const hashed = async ({ password, ...others }: AdministratorValues, sender: Sender | null): Promise<Values> =>
  password === undefined ? others : { ...others, password: password && (await hashPassword(password, sender)) };

/** Characters of the longest name; as many as a column of Strapi v4 holds. */
const longest = 255;

/** The fields of administrators in bodies, with the rules and messages of Strapi v4. */
export const fields = {
  email: () => string().email().lowercase(),
  firstname: () => string().min(1).max(longest),
  lastname: () => string().max(longest).nullable(),
  username: () => string().max(longest).nullable(),
  preferedLanguage: () => string().max(longest).nullable(),
  password: () =>
    string()
      .min(8)
      .matches(/[a-z]/, '${path} must contain at least one lowercase character')
      .matches(/[A-Z]/, '${path} must contain at least one uppercase character')
      .matches(/\d/, '${path} must contain at least one number')
      .test('bytes', '${path} must have at most 72 bytes', (value) => Buffer.byteLength(value ?? '') <= 72),
} as const;

/** The body of an administrator who is created with a password. */
export const registration = object({
  email: fields.email().required(),
  firstname: fields.firstname().required(),
  lastname: fields.lastname(),
  password: fields.password().required(),
}).noUnknown();
