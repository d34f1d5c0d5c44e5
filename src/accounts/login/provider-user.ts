import { endingTokens } from '#content/rights/caller.js';
import { create } from '#content/create.js';
import type { ContentContext } from '#content/content-context.js';
import { applicationError, validationError } from '#base/errors.js';
import { is } from '#store/form/matches.js';
import { putLoginState, takeLoginState } from './login-states.js';
import { emptyQuery } from '#model/query/ast.js';
import type { Accounts } from '../accounts.js';
import { claimNames, findNameConflict } from '../claim-names.js';
import type { Identity } from '../providers/identity.js';
import { sendConfirmation } from './confirm-email.js';
import { loginProvider, type ReceivedTokens } from './login-provider.js';
import { hashCode, makeCode } from './passwords.js';
import { assertMayLogIn, endRefreshTokens } from './session.js';
import { asService, changeStoredUser, findStoredUser, userType, type StoredUser } from '../user-store.js';

/**
 * Returns the user of an identity, or registers one if there is none. Throws an ApplicationError if the user may not log in. That
 * includes new users whose address must be confirmed and is not verified by the provider: they are sent a link first.
 */
export async function providerUser(accounts: Accounts, identity: Identity, content: ContentContext): Promise<StoredUser> {
  const { advanced } = await accounts.authenticator.settings();
  const knownUser = await findKnownUser(identity, content);
  const user = knownUser ?? (await registerIdentity(accounts, identity, content));
  if (knownUser === null && advanced.email_confirmation && !user.confirmed) sendConfirmation(accounts, user, content);
  assertMayLogIn(user, advanced);
  return user;
}

/**
 * Finds the user by the provider's id. A user without a stored id, such as an imported one, is found by address if the provider
 * has verified the address, because some providers let users claim any address.
 */
async function findKnownUser(identity: Identity, content: ContentContext): Promise<StoredUser | null> {
  const { provider, subject, email, isVerified } = identity;
  const user = await findStoredUser(content, { provider, _subject: subject });
  if (!isVerified) return user;
  if (user === null) return linkUser(identity, content);
  if (user.confirmed || user.email !== email) return user;
  return changeStoredUser(
    content,
    { _id: user.id, email },
    { set: { confirmed: true, confirmationToken: null, _chosenEmail: false } },
  );
}

/**
 * Links the user with the address of an identity. Whoever had this account before may have stored somebody else's address in it, so
 * the link ends all sessions and codes and removes the password.
 */
async function linkUser({ provider, subject, email }: Identity, content: ContentContext): Promise<StoredUser | null> {
  const linked = await changeStoredUser(
    content,
    { provider, email, _subject: is.absent },
    endingTokens({
      _subject: subject,
      confirmed: true,
      password: null,
      resetPasswordToken: null,
      confirmationToken: null,
      _chosenEmail: false,
    }),
  );
  if (linked !== null) await endRefreshTokens(linked.id, content);
  return linked;
}

async function registerIdentity(accounts: Accounts, identity: Identity, content: ContentContext): Promise<StoredUser> {
  const { advanced } = await accounts.authenticator.settings();
  if (!advanced.allow_register) throw applicationError('Register action is actually not available.');
  const role = (await accounts.authenticator.roles()).byType.get(advanced.default_role);
  if (role === undefined) throw applicationError('Impossible to find the default role');
  const { provider, subject, email, isVerified } = identity;
  const taken = () => applicationError('Email is already taken.');
  const name = nameOf(identity);
  return claimNames({ email, username: name }, content, taken, async () => {
    const others = { except: null, sharedAddress: !advanced.unique_email, onlyLocal: false };
    if ((await findNameConflict({ email }, others, content)) !== null) throw taken();
    if ((await findStoredUser(content, { email, provider })) !== null) throw taken();
    const isFree = (await findNameConflict({ username: name }, others, content)) === null;
    const username = isFree ? name : `${name}-${makeCode(4)}`;
    const data = { username, email, provider, role: role.id, confirmed: isVerified };
    const { document } = await create(userType(content), data, emptyQuery, asService(content));
    const user = await changeStoredUser(content, { _id: document['_id'] }, { set: { _subject: subject } });
    if (user === null) throw taken(); // deleted at the same time
    return user;
  });
}

/** Returns the user's name at the provider, padded to the minimum length of names. */
const nameOf = ({ name }: Identity): string => name.padEnd(3, '_');

/** The beginning of exchange codes, which tells them from the tokens of providers. */
const codePrefix = 'mangrove_';

/** Returns a code that the browser exchanges for a session at the callback, once. */
export async function makeExchangeCode(user: StoredUser, provider: string, content: ContentContext): Promise<string> {
  const code = `${codePrefix}${makeCode(32)}`;
  const value: Exchange = { user: user.id, provider };
  const expiresAt = new Date(Date.now() + 60_000);
  await putLoginState(content.store.database, { _id: hashCode(code), value, expiresAt });
  return code;
}

interface Exchange {
  readonly user: number;
  readonly provider: string;
}

/**
 * Returns the user of the tokens of a request: of an exchange code, or of tokens that the provider has issued for this service.
 * Throws a ValidationError for other tokens, and an ApplicationError if the provider is disabled or the user may not log in.
 */
export async function tokenUser(
  accounts: Accounts,
  name: string,
  { tokens, content }: { readonly tokens: ReceivedTokens; readonly content: ContentContext },
): Promise<StoredUser> {
  const provider = await loginProvider(accounts, name);
  const { accessToken, idToken } = tokens;
  if (accessToken?.startsWith(codePrefix) === true) return exchangeCode(accounts, { name, code: accessToken }, content);
  if (accessToken === null && idToken === null) throw validationError('Invalid callback URL provided');
  return providerUser(accounts, await provider.accept(tokens), content);
}

interface ReceivedCode {
  /** The name of the provider. */
  readonly name: string;
  readonly code: string;
}

async function exchangeCode(accounts: Accounts, { name, code }: ReceivedCode, content: ContentContext): Promise<StoredUser> {
  const exchange = await takeLoginState<Exchange>(content.store.database, hashCode(code));
  const user = exchange?.provider === name ? await findStoredUser(content, { _id: exchange.user }) : null;
  if (user === null) throw validationError('Invalid callback URL provided');
  assertMayLogIn(user, (await accounts.authenticator.settings()).advanced);
  return user;
}
