import { create } from '#content/create.js';
import type { ContentContext } from '#content/content-context.js';
import { hasId } from '#model/query/entry-access.js';
import type { EntryKey, Precondition } from '#content/meet-precondition.js';
import { remove } from '#content/remove.js';
import { ApiError, applicationError, unauthorizedError } from '#base/errors.js';
import type { LoadedEntry } from '#store/form/loaded.js';
import { readEntry } from '#store/read/read-entry.js';
import { afterCommit } from '#store/send/transaction.js';
import { emptyQuery, type Query } from '#model/query/ast.js';
import { bindEntrySelection } from '#model/query/bind-plan.js';
import type { AccountCall, Accounts, Body } from '../accounts.js';
import { refuseProblems } from '../check-fields.js';
import { claimNames, emailTakenError, findNameConflict } from '../claim-names.js';
import { endRefreshTokens } from '../login/session.js';
import { newUserProblems, withStoredCodes } from './user-input.js';
import { asRoleGiver, asService, permitted, userType } from '../user-store.js';

/**
 * Creates a user with any role and any attribute that the caller may use, and returns the id. Throws a ValidationError or an
 * ApplicationError.
 */
export async function createUser(accounts: Accounts, body: Body, { content }: Pick<AccountCall, 'content'>): Promise<number> {
  refuseProblems(newUserProblems(body));
  const email = String(body['email']).toLowerCase();
  const { advanced } = await accounts.authenticator.settings();
  const data = { ...withStoredCodes(accounts, permitted(body, content.bind.access.hidden, content)), email, provider: 'local' };
  const names = { email, username: String(body['username']) };
  return claimNames(names, content, emailTakenError, async () => {
    const taken = await findNameConflict(
      names,
      { except: null, sharedAddress: !advanced.unique_email, onlyLocal: false },
      content,
    );
    if (taken !== null) throw taken === 'email' ? emailTakenError() : applicationError('This attribute must be unique');
    const { document } = await create(userType(content), data, emptyQuery, asRoleGiver(content)).catch(asApplicationError);
    return Number(document['_id']);
  });
}

/** Throws a validation error in the form that Strapi v4 uses here, with only the message; other errors unchanged. */
function asApplicationError(error: unknown): never {
  throw error instanceof ApiError && error.status === 400 ? applicationError(error.message) : error;
}

/** A user who is written, and the versions that the write accepts. */
export type UserKey = Omit<EntryKey, 'type'>;

/**
 * Deletes a user, and returns the user as the caller sees it; null if there is none. Throws a PreconditionFailedError if the user is
 * not of the expected version.
 */
export async function deleteUser(
  key: UserKey,
  query: Query,
  { content }: Pick<AccountCall, 'content'>,
): Promise<LoadedEntry | null> {
  const user = await remove({ ...key, type: userType(content) }, query, content);
  if (user !== null) await afterCommit(content.store.database, () => endRefreshTokens(key.id, content));
  return user;
}

/** The parts of a call that operations on users need. */
export type UserCall = Pick<AccountCall, 'caller' | 'content'>;

/**
 * Deletes the user who makes the request, regardless of row rules. Returns the user as that user sees it. Throws an
 * UnauthorizedError if no user is logged in.
 */
export async function deleteMe(
  query: Query,
  { caller, content }: UserCall,
  precondition: Precondition = {},
): Promise<LoadedEntry | null> {
  if (caller.kind !== 'user') throw unauthorizedError('Unauthorized');
  const { id } = caller.user;
  const user = await findWrittenUser(id, query, content);
  await deleteUser({ ...precondition, id }, emptyQuery, { content: asService(content) });
  return user;
}

/** Returns a user as the caller may see it. Row rules do not apply, because the caller has just written the user. */
export async function findWrittenUser(id: number, query: Query, content: ContentContext): Promise<LoadedEntry | null> {
  const selection = bindEntrySelection(query, userType(content), content.bind);
  return readEntry(hasId(id), selection, content.store.database);
}
