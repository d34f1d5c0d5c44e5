import { create } from '../content/create.js';
import { within, type ContentContext } from '../content/content-context.js';
import { hasId } from '../content/find-one.js';
import type { Loaded } from '../mongo/loaded.js';
import { remove } from '../content/remove.js';
import { ruleFilter } from '../content/row-rules.js';
import { update } from '../content/update.js';
import { ApiError, applicationError, notFoundError, type FieldError } from '../errors.js';
import { readEntry } from '../mongo/read-entry.js';
import { inTransaction } from '../mongo/transaction.js';
import { emptyQuery, type Query } from '../query/ast.js';
import { bindEntrySelection } from '../query/bind-plan.js';
import { isValues } from '../schema/check-input.js';
import { notOfType } from '../schema/print-value.js';
import type { AccountCall, Accounts, Body } from './accounts.js';
import { fieldProblems, refuseProblems } from './check-fields.js';
import { claimAddress } from './claim-address.js';
import { endRefreshTokens } from './refresh-tokens.js';
import { hashCode } from './secret-code.js';
import { userUid } from './uids.js';
import { asWriter, changeStoredUser, findStoredUser, userType, type StoredUser } from './user-store.js';
import { usersCollection } from '../access/known-user.js';

const newFields = {
  email: ['email', 'required'],
  username: ['notEmpty', 'required'],
  password: ['notEmpty', 'required'],
} as const;
const changedFields = { email: ['notEmpty', 'email'], username: ['notEmpty'], password: ['notEmpty'] } as const;

/** Creates a user of any role, with any attribute that the caller may use (rest.md 11.4). Gives its id. Throws a ValidationError or an ApplicationError. */
export async function createUser(accounts: Accounts, body: Body, { content }: AccountCall): Promise<number> {
  refuseProblems([...fieldProblems(body, newFields), ...newRoleProblems(body)]);
  const email = String(body['email']).toLowerCase();
  const { advanced } = await accounts.authenticator.settings();
  const data = { ...stored(permitted(body, content)), email, provider: 'local' };
  return claimAddress(email, content, emailTaken, async () => {
    if (advanced.unique_email && (await findStoredUser(content, { email })) !== null) throw emailTaken();
    const { document } = await create(userType(content), data, emptyQuery, asWriter(content)).catch(asApplicationError);
    return Number(document['_id']);
  });
}

const emailTaken = (): ApiError => applicationError('Email already taken');

/** Attributes that a rule hides from the caller are dropped without a word, as everywhere. */
function permitted(body: Body, { bind }: ContentContext): Body {
  const hidden = bind.access.hidden.get(userUid);
  return hidden === undefined ? body : Object.fromEntries(Object.entries(body).filter(([name]) => !hidden.has(name)));
}

/** Codes come in plain and are stored as hashes. */
function stored(body: Body): Body {
  const codes = ['resetPasswordToken', 'confirmationToken'].filter((name) => typeof body[name] === 'string');
  return { ...body, ...Object.fromEntries(codes.map((name) => [name, hashCode(String(body[name]))])) };
}

/** As the reference passes on what the validation of entries says: the message alone. */
function asApplicationError(error: unknown): never {
  throw error instanceof ApiError && error.status === 400 ? applicationError(error.message) : error;
}

function newRoleProblems({ role }: Body): FieldError[] {
  if (role === undefined) return roleProblem('role is a required field');
  if (!isValues(role)) return idProblems(role);
  const { connect } = role;
  if (connect === undefined) return [{ path: ['role', 'connect'], message: 'role.connect is a required field' }];
  const isWrong = !Array.isArray(connect) || connect.length === 0;
  return isWrong ? [{ path: ['role', 'connect'], message: 'role.connect field must have at least 1 items' }] : [];
}

const roleProblem = (message: string): FieldError[] => [{ path: ['role'], message }];

const idProblems = (role: unknown): FieldError[] =>
  role === null || (typeof role !== 'number' && typeof role !== 'string')
    ? roleProblem(role === null ? notOfType('role', 'object', null) : 'role must be a `strapiID` type')
    : [];

/** A user may be given another role, never none. */
function changedRoleProblems({ role }: Body): FieldError[] {
  if (role === undefined) return [];
  if (!isValues(role)) return idProblems(role);
  const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0);
  const isLost = lengthOf(role['disconnect']) > 0 && lengthOf(role['connect']) === 0;
  return isLost ? roleProblem('Cannot remove role') : [];
}

/**
 * Changes what the body names and the caller may use. Throws a NotFoundError, also for a user that a rule hides from the caller, a
 * ValidationError or an ApplicationError.
 */
export async function updateUser(accounts: Accounts, id: number, sent: Body, { content }: AccountCall): Promise<void> {
  const user = await findStoredUser(content, { $and: [{ _id: id }, await ruleFilter(userType(content), content)] });
  if (user === null) throw notFoundError('User not found');
  const body = permitted(sent, content);
  refuseProblems([...fieldProblems(body, changedFields), ...changedRoleProblems(body)]);
  const email = typeof body['email'] === 'string' ? body['email'].toLowerCase() : user.email;
  const data = { ...stored(body), ...(body['email'] !== undefined && { email }) };
  const write = async (): Promise<void> => {
    await refuseTaken(accounts, user, data, content);
    await inTransaction(content.store.database, (database) => updateWithin(user, data, within(asWriter(content), database)));
  };
  await (email === user.email ? write() : claimAddress(email, content, emailTaken, write));
  content.store.totals.invalidate(usersCollection);
}

async function refuseTaken(accounts: Accounts, user: StoredUser, body: Body, content: ContentContext): Promise<void> {
  const { username, email } = body;
  const others = { _id: { $ne: user.id } };
  if (typeof username === 'string' && username !== user.username) {
    // An address of another as a name would stand in that user's way at a login.
    const names = { $or: [{ username }, { email: username.toLowerCase() }] };
    if ((await findStoredUser(content, { ...names, ...others })) !== null) throw applicationError('Username already taken');
  }
  if (typeof email !== 'string' || !(await accounts.authenticator.settings()).advanced.unique_email) return;
  if ((await findStoredUser(content, { email, ...others })) !== null) throw emailTaken();
}

/** A new password, and being blocked, end all that the user was logged in with. */
async function updateWithin(user: StoredUser, data: Body, context: ContentContext): Promise<void> {
  await update(userType(context), user.id, data, emptyQuery, context);
  const isBlocked = data['blocked'] === true && !user.blocked;
  if (data['password'] === undefined && !isBlocked) return;
  await changeStoredUser(context, { _id: user.id }, { $set: {}, $inc: { _tokenVersion: 1 } });
  await endRefreshTokens(user.id, context);
}

/** Deletes a user, and gives it as the caller sees it; null where there is none. */
export async function deleteUser(id: number, query: Query, { content }: AccountCall): Promise<Loaded | null> {
  const user = await remove(userType(content), id, query, content);
  if (user !== null) await endRefreshTokens(id, content);
  return user;
}

/** A user as the caller may see it, even one that a row rule hides: who has just written it knows it. */
export async function findWritten(id: number, query: Query, content: ContentContext): Promise<Loaded | null> {
  const selection = bindEntrySelection(query, userType(content), content.bind);
  return readEntry(hasId(id), selection, content.store.database);
}
