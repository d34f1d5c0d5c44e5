import { refusedToken } from '../../errors.js';
import { refreshTokenStore, type RefreshToken } from '../../mongo/stores/refresh-token-store.js';
import type { AccountCall, Accounts, Body } from '../accounts.js';
import { readTexts } from '../check-fields.js';
import { makeRefreshToken } from './refresh-tokens.js';
import { hashCode } from './passwords.js';
import { assertMayLogIn, type Session } from './session.js';
import { findStoredUser } from '../user-store.js';

/**
 * Returns a new token and the successor of a refresh token. For some time after its first use a refresh token has the same
 * successor again: parallel requests, and those that repeat a lost answer, go on together. One that comes later was stolen, from the
 * user or by the user: its whole family ends. Throws an UnauthorizedError.
 */
export async function refresh(accounts: Accounts, body: Body, { content }: AccountCall): Promise<Session> {
  const { refreshToken } = readTexts(body, { refreshToken: ['required'] }, 'ignored');
  const { lifetime, accessExpiresIn, grace } = accounts.config.plugins['users-permissions'].config.refreshTokens;
  const tokens = refreshTokenStore(content.store.database);
  const before = await tokens.use(hashCode(refreshToken));
  if (before === null) throw refusedToken('token_invalid');
  if (before.expiresAt.getTime() <= Date.now()) throw refusedToken('token_expired');
  if (isReused(before, grace)) {
    await tokens.endFamily(before.family);
    throw refusedToken('token_revoked');
  }
  const user = await findStoredUser(content, { _id: before.user });
  if (user === null || user.tokenVersion !== before.version) throw refusedToken('token_revoked');
  assertMayLogIn(user, (await accounts.authenticator.settings()).advanced);
  // The successor follows from the token and the secret of the service: it need not be stored to be found again.
  const token = accounts.tokens.derive(`refresh ${refreshToken}`);
  await makeRefreshToken(user, { family: before.family, token, lifetime }, content);
  // A logout or a stolen token that came in between has ended the family before the new token was in it.
  if ((await tokens.find(before._id)) === null) {
    await tokens.endFamily(before.family);
    throw refusedToken('token_revoked');
  }
  return { userId: user.id, jwt: accounts.tokens.sign(user, accessExpiresIn), refreshToken: token };
}

/** Whether a token was used longer ago than its grace, in seconds. */
const isReused = ({ usedAt }: RefreshToken, grace: number): boolean =>
  usedAt !== null && Date.now() - usedAt.getTime() >= grace * 1000;

/** Ends the family of a refresh token; says nothing of whether it was one. */
export async function logOut(body: Body, { content }: Pick<AccountCall, 'content'>): Promise<void> {
  const { refreshToken } = readTexts(body, { refreshToken: ['required'] }, 'ignored');
  const tokens = refreshTokenStore(content.store.database);
  const found = await tokens.find(hashCode(refreshToken));
  if (found !== null) await tokens.endFamily(found.family);
}
