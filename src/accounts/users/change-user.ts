import { endingTokens } from '#content/rights/caller.js';
import { withDatabase, type ContentContext } from '#content/content-context.js';
import { ruleFilter } from '#content/rules-on-writes.js';
import { update } from '#content/update.js';
import { applicationError, notFoundError } from '#base/errors.js';
import { matchesAll } from '#store/form/matches.js';
import { afterCommit, inTransaction } from '#store/send/transaction.js';
import { emptyQuery } from '#model/query/ast.js';
import { toBoolean } from '#model/schema/stored-values.js';
import type { Accounts, Body } from '../accounts.js';
import { refuseProblems } from '../check-fields.js';
import { claimNames, emailTakenError, findNameConflict } from '../claim-names.js';
import { mailConfirmation, makeConfirmation } from '../login/confirm-email.js';
import { endRefreshTokens } from '../login/session.js';
import { changedUserProblems, ownChange, withStoredCodes } from './user-input.js';
import {
  asRoleGiver,
  asWriter,
  changeStoredUser,
  findStoredUser,
  noteOnUser,
  permitted,
  userType,
  type StoredUser,
} from '../user-store.js';
import type { UserCall, UserKey } from './users.js';

/**
 * Changes the attributes of a user that the body has and the caller may write. A new address invalidates the codes that were sent to
 * the old one. If addresses must be confirmed, the new one is unconfirmed unless an administrator confirms it, and is sent a link
 * after the commit. Users cannot change what decides how they log in. Throws a NotFoundError, also if a rule hides the user from
 * the caller, a ValidationError or an ApplicationError.
 */
export async function updateUser(accounts: Accounts, key: UserKey, sent: Body, call: UserCall): Promise<void> {
  const { caller, content } = call;
  const { id } = key;
  const user = await findStoredUser(content, matchesAll({ _id: id }, await ruleFilter(userType(content), content)));
  if (user === null) throw notFoundError('User not found');
  const seen = permitted(sent, content.bind.access.hidden, content);
  refuseProblems(changedUserProblems(seen));
  const isOwn = caller.kind === 'user' && caller.user.id === id;
  const body = isOwn ? ownChange(seen, user, caller.role) : seen;
  const names = changedNames(user, body);
  const change = await addressChange(accounts, names.email, { body, isOwn });
  const data = { ...withStoredCodes(accounts, body), ...change.values };
  const chosen = names.email === undefined ? null : isOwn;
  await claimNames(names, content, emailTakenError, async () => {
    await refuseTakenNames(accounts, names, user, content);
    const writer = isOwn ? asWriter(content) : asRoleGiver(content);
    await inTransaction(content.store.database, (database) =>
      updateWithin(user, { key, data, chosen }, withDatabase(writer, database)),
    );
  });
  const { code } = change;
  if (code === null) return;
  await afterCommit(content.store.database, async () => {
    mailConfirmation(accounts, { ...user, ...names }, () => Promise.resolve(code));
  });
}

/** Returns the names that a body changes, with the address in lower case. */
function changedNames(user: StoredUser, { email, username }: Body): { readonly email?: string; readonly username?: string } {
  const address = typeof email === 'string' ? email.toLowerCase() : user.email;
  return {
    ...(address !== user.email && { email: address }),
    ...(typeof username === 'string' && username !== user.username && { username }),
  };
}

interface AddressChange {
  readonly values: Body;
  /** The code that confirms the new address; null if none is sent. */
  readonly code: string | null;
}

async function addressChange(
  accounts: Accounts,
  email: string | undefined,
  { body, isOwn }: { readonly body: Body; readonly isOwn: boolean },
): Promise<AddressChange> {
  const sent = typeof body['email'] === 'string' ? { email: body['email'].toLowerCase() } : {};
  if (email === undefined) return { values: sent, code: null };
  const { advanced } = await accounts.authenticator.settings();
  const ended = { resetPasswordToken: null, confirmationToken: null };
  if (!advanced.email_confirmation || (toBoolean(body['confirmed']) === true && !isOwn))
    return { values: { ...sent, ...ended }, code: null };
  const { code, stored: confirmationToken } = makeConfirmation(accounts);
  return { values: { ...sent, ...ended, confirmationToken, confirmed: false }, code };
}

async function refuseTakenNames(
  accounts: Accounts,
  { email, username }: ReturnType<typeof changedNames>,
  { id }: StoredUser,
  content: ContentContext,
): Promise<void> {
  const { advanced } = await accounts.authenticator.settings();
  const others = { except: id, sharedAddress: !advanced.unique_email, onlyLocal: false };
  if ((await findNameConflict({ username }, others, content)) !== null) throw applicationError('Username already taken');
  if ((await findNameConflict({ email }, others, content)) !== null) throw emailTakenError();
}

interface UserUpdate {
  readonly key: UserKey;
  readonly data: Body;
  /** Whether the user chose the new address; null if it does not change. */
  readonly chosen: boolean | null;
}

/** Updates a user. Revokes all tokens of the user if the password changes, as every update does, or if the user is blocked. */
async function updateWithin(user: StoredUser, { key, data, chosen }: UserUpdate, context: ContentContext): Promise<void> {
  await update({ ...key, type: userType(context) }, { data, query: emptyQuery }, context);
  if (chosen !== null) await noteOnUser(context, { _id: user.id }, { set: { _chosenEmail: chosen } });
  const isBlocked = toBoolean(data['blocked']) === true && !user.blocked;
  if (isBlocked) await changeStoredUser(context, { _id: user.id }, endingTokens());
  if (isBlocked || data['password'] !== undefined) await endRefreshTokens(user.id, context);
}
