import { randomUUID } from 'node:crypto';
import type { AccountSettings } from '#content/rights/account-settings.js';
import type { KnownUser } from '#content/rights/caller.js';
import type { UserTokens } from '#content/rights/user-tokens.js';
import { type ContentContext, withAccess } from '#content/content-context.js';
import { isSwitchedOff } from '../providers/read-grant.js';
import { applicationError, refusedToken, validationError } from '#base/errors.js';
import type { Accounts, AccountCall, Body } from '../accounts.js';
import type { Database } from '#store/send/database.js';
import { endTokens, findToken, insertToken, type RefreshToken, useToken } from './refresh-tokens.js';
import { knownClient, rememberClient } from './known-clients.js';
import { hashCode, isPassword, makeCode } from './passwords.js';
import { readTexts } from '../check-fields.js';
import { findStoredUser, findStoredUsers, type StoredUser } from '../user-store.js';
import { matchesAny } from '#store/form/matches.js';

/** The result of a login. */
export interface Session {
  readonly user: KnownUser;
  /** Null if the e-mail address must be confirmed first. */
  readonly jwt: string | null;
  /** Null unless refresh tokens are enabled. */
  readonly refreshToken: string | null;
}

const logInFields = { identifier: ['required'], password: ['required'] } as const;

/** Logs a user in by name or e-mail address and password. Throws as `checkLogIn`. */
export const logIn = async (accounts: Accounts, body: Body, call: AccountCall): Promise<Session> =>
  openSession(accounts, await checkLogIn(accounts, body, call), call);

/**
 * Returns the user of a name or e-mail address and a password. Throws a ValidationError, an ApplicationError, also if the provider
 * `email` is switched off, or a RateLimitError after too many wrong passwords.
 */
export async function checkLogIn(accounts: Accounts, body: Body, call: AccountCall): Promise<StoredUser> {
  if (isSwitchedOff('email', await accounts.grants())) throw applicationError('This provider is disabled');
  const { identifier, password } = readTexts(body, logInFields, 'ignored');
  const user = await findByIdentifier(identifier, call.content);
  const { ip, requestId } = call.request;
  const clientMark = knownClient(accounts.tokens, user, ip);
  const guess = { of: 'login', identifier, ip, clientMark, ...(requestId !== undefined && { requestId }) } as const;
  await accounts.limits?.admitGuess(guess);
  const isRight = await isPassword(password, user?.password ?? null);
  if (user === null || !isRight) throw validationError('Invalid identifier or password');
  await accounts.limits?.forgiveGuess(guess);
  assertMayLogIn(user, (await accounts.authenticator.settings()).advanced);
  return user;
}

/** Finds a user by address or name. An address takes precedence over an equal name. */
async function findByIdentifier(identifier: string, content: ContentContext): Promise<StoredUser | null> {
  const email = identifier.toLowerCase();
  const users = await findStoredUsers(
    content,
    { provider: 'local', ...matchesAny({ email }, { username: identifier }) },
    mostAlike,
  );
  return users.find((user) => user.email === email) ?? users[0] ?? null;
}

/** Maximum number of users with one address that are read. The settings may allow several; the first one can log in by it. */
const mostAlike = 10;

/** Opens a session for a user. */
export async function openSession(accounts: Accounts, user: StoredUser, call: AccountCall): Promise<Session> {
  await rememberClient(accounts, user, call);
  const { refreshTokens } = accounts.config.plugins['users-permissions'].config;
  if (!refreshTokens.enabled) return { user, jwt: accounts.tokens.sign(user), refreshToken: null };
  const refreshToken = await makeRefreshToken(accounts, user, call.content);
  return { user, jwt: accounts.tokens.sign(user, refreshTokens.accessExpiresIn), refreshToken };
}

/**
 * Returns the context in which a user who has just logged in is answered. It has the access of that user, so that the answer shows
 * what `/users/me` shows.
 */
export async function contextOfUser(
  { authenticator }: Accounts,
  { user }: Session,
  content: ContentContext,
): Promise<ContentContext> {
  return withAccess(content, await authenticator.accessOf(user));
}

/** Throws an ApplicationError for a user who may not log in, even by the right password. */
export function assertMayLogIn({ confirmed, blocked }: KnownUser, settings: AccountSettings): void {
  if (settings.email_confirmation && !confirmed) throw applicationError('Your account email is not confirmed');
  if (blocked) throw applicationError('Your account has been blocked by an administrator');
}

/** Returns an id of a new login, from which refresh tokens descend, and the part of the first one that cannot be guessed. */
const newLogin = () => ({ family: randomUUID() as string, secret: makeCode(32) });

/**
 * Returns the stored form of a refresh token. It depends on the secret of the service, so that a change of the secret ends all
 * sessions.
 */
const storedToken = (token: string, tokens: UserTokens): string => tokens.derive(`refresh token ${token}`);

/**
 * Returns a stored refresh token, also of the former secret, or in the form of a version that stored a hash without the secret; null if
 * there is none.
 */
async function findRefreshToken(token: string, tokens: UserTokens, database: Database): Promise<RefreshToken | null> {
  const forms = [storedToken(token, tokens), tokens.deriveFormerly(`refresh token ${token}`), hashCode(token)];
  for (const form of forms) {
    const storedToken = form === null ? null : await findToken(database, form);
    if (storedToken !== null) return storedToken;
  }
  return null;
}

/** Creates a refresh token of a user, stores its hash and returns the token. The token begins with its family. */
async function makeRefreshToken(
  { config, tokens }: Accounts,
  { id, tokenVersion }: KnownUser,
  { store }: ContentContext,
  { family, secret } = newLogin(),
): Promise<string> {
  const { lifetime } = config.plugins['users-permissions'].config.refreshTokens;
  const token = `${family}.${secret}`;
  const expiresAt = new Date(Date.now() + lifetime * 1000);
  const made = { _id: storedToken(token, tokens), user: id, version: tokenVersion, family, expiresAt, usedAt: null };
  await insertToken(store.database, made);
  return token;
}

/** Ends all refresh tokens of a user. */
export const endRefreshTokens = (userId: number, { store: { database } }: ContentContext): Promise<void> =>
  endTokens(database, { user: userId });

/** A request that uses a refresh token. */
interface RefreshCall extends Pick<AccountCall, 'content'> {
  /** Counts the use of an existing token for the login that it descends from. Throws a RateLimitError if there were too many. */
  readonly countUse: (family: string) => Promise<void>;
}

/**
 * Returns a new access token and the successor of a refresh token. For a grace period after its first use, a token has the same
 * successor again, for parallel and repeated requests. A later use means that the token was stolen, so its whole family ends.
 * Throws an UnauthorizedError if the token is invalid, an ApplicationError if the user may not log in, or the error of
 * `countUse`.
 */
export async function refresh(accounts: Accounts, body: Body, { content, countUse }: RefreshCall): Promise<Session> {
  const { refreshToken } = readTexts(body, { refreshToken: ['required'] }, 'ignored');
  const { accessExpiresIn, grace } = accounts.config.plugins['users-permissions'].config.refreshTokens;
  const { database } = content.store;
  const storedToken = await findRefreshToken(refreshToken, accounts.tokens, database);
  if (storedToken === null) throw refusedToken('token_invalid');
  await countUse(storedToken.family);
  if (storedToken.expiresAt.getTime() <= Date.now()) throw refusedToken('token_expired');
  await refuseReused(storedToken, grace, database);
  const user = await findStoredUser(content, { _id: storedToken.user });
  if (user === null || user.tokenVersion !== storedToken.version) throw refusedToken('token_revoked');
  assertMayLogIn(user, (await accounts.authenticator.settings()).advanced);
  // The token is used only now, so that a user who must first confirm an address keeps it. A concurrent request may have used it.
  const before = await useToken(database, storedToken._id);
  if (before === null) throw refusedToken('token_invalid');
  await refuseReused(before, grace, database);
  // The successor is derived from the token and the secret of the service, so that it need not be stored to be found again.
  const secret = accounts.tokens.derive(`refresh ${refreshToken}`);
  const token = await makeRefreshToken(accounts, user, content, { family: before.family, secret });
  // A concurrent logout or reuse has ended the family before the new token was part of it.
  if ((await findToken(database, before._id)) === null) {
    await endTokens(database, { family: before.family });
    throw refusedToken('token_revoked');
  }
  return { user, jwt: accounts.tokens.sign(user, accessExpiresIn), refreshToken: token };
}

/** Ends the family of a token that was first used longer than `grace` seconds ago, and throws an UnauthorizedError. */
async function refuseReused({ usedAt, family }: RefreshToken, grace: number, database: Database): Promise<void> {
  if (usedAt === null || Date.now() - usedAt.getTime() < grace * 1000) return;
  await endTokens(database, { family });
  throw refusedToken('token_revoked');
}

/** Ends the family of a refresh token. Does nothing if the token does not exist. */
export async function logOut(accounts: Accounts, body: Body, { content }: Pick<AccountCall, 'content'>): Promise<void> {
  const { refreshToken } = readTexts(body, { refreshToken: ['required'] }, 'ignored');
  const { database } = content.store;
  const storedToken = await findRefreshToken(refreshToken, accounts.tokens, database);
  if (storedToken !== null) await endTokens(database, { family: storedToken.family });
}
