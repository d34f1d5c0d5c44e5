import { unauthorizedError } from '../errors.js';
import { refreshTokenStore } from '../mongo/refresh-token-store.js';
import type { AccountCall, Accounts, Body } from './accounts.js';
import { readTexts } from './check-fields.js';
import { refuseKeptOut } from './refuse-kept-out.js';
import { makeRefreshToken } from './refresh-tokens.js';
import { hashCode } from './secret-code.js';
import type { Session } from './session.js';
import { findStoredUser } from './user-store.js';

/**
 * Gives a new token and a new refresh token for a refresh token, which serves once. One that comes a second time was stolen, from
 * the user or by the user: its whole family ends. Throws an UnauthorizedError.
 */
export async function refresh(accounts: Accounts, body: Body, { content }: AccountCall): Promise<Session> {
  const { refreshToken } = readTexts(body, { refreshToken: ['required'] }, 'ignored');
  const tokens = refreshTokenStore(content.store.database);
  const before = await tokens.use(hashCode(refreshToken));
  if (before !== null && before.usedAt !== null) await tokens.endFamily(before.family);
  if (before === null || before.usedAt !== null || before.expiresAt.getTime() <= Date.now()) throw unauthorizedError();
  const user = await findStoredUser(content, { _id: before.user });
  if (user === null || user.tokenVersion !== before.version) throw unauthorizedError();
  refuseKeptOut(user, (await accounts.authenticator.settings()).advanced);
  const { lifetime, accessExpiresIn } = accounts.config.plugins['users-permissions'].config.refreshTokens;
  const next = await makeRefreshToken(user, { family: before.family, lifetime }, content);
  // A second use or a logout that came in between has ended the family before the new token was in it.
  if (!(await tokens.has(before._id))) {
    await tokens.endFamily(before.family);
    throw unauthorizedError();
  }
  return { userId: user.id, jwt: accounts.tokens.sign(user, accessExpiresIn), refreshToken: next };
}

/** Ends the family of a refresh token; says nothing of whether it was one. */
export async function logOut(body: Body, { content }: AccountCall): Promise<void> {
  const { refreshToken } = readTexts(body, { refreshToken: ['required'] }, 'ignored');
  const tokens = refreshTokenStore(content.store.database);
  const used = await tokens.use(hashCode(refreshToken));
  if (used !== null) await tokens.endFamily(used.family);
}
