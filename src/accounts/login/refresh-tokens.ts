import { randomUUID } from 'node:crypto';
import type { KnownUser } from '../../auth/known-user.js';
import type { ContentContext } from '../../content/content-context.js';
import { refreshTokenStore } from '../../mongo/stores/refresh-token-store.js';
import { hashCode, makeCode } from './passwords.js';

const bytes = 32;

/** A refresh token that begins a login, unless it takes the place of another. */
interface RefreshTokenInput {
  /** The login that it goes back to. */
  readonly family?: string;
  readonly token?: string;
  /** Seconds. */
  readonly lifetime: number;
}

/** Stores a refresh token of a user by its hash, and returns it. */
export async function makeRefreshToken(
  { id, tokenVersion }: KnownUser,
  { family = randomUUID(), token = makeCode(bytes), lifetime }: RefreshTokenInput,
  { store }: ContentContext,
): Promise<string> {
  const expiresAt = new Date(Date.now() + lifetime * 1000);
  const made = { _id: hashCode(token), user: id, version: tokenVersion, family, expiresAt, usedAt: null };
  await refreshTokenStore(store.database).insert(made);
  return token;
}

/** Ends all refresh tokens of a user. */
export const endRefreshTokens = (userId: number, { store: { database } }: ContentContext): Promise<void> =>
  refreshTokenStore(database).endUser(userId);
