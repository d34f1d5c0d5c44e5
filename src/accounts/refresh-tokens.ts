import { randomUUID } from 'node:crypto';
import type { KnownUser } from '../access/known-user.js';
import type { ContentContext } from '../content/content-context.js';
import { refreshTokenStore, type RefreshToken } from '../mongo/refresh-token-store.js';
import { hashCode, makeCode } from './secret-code.js';

const bytes = 32;

/** A refresh token is made anew, or in the place of another of its family. */
export interface RefreshTokenInput {
  /** The login that it goes back to; a new one unless given. */
  readonly family?: string;
  /** Seconds. */
  readonly lifetime: number;
}

/** Makes a refresh token for a user, and stores its hash. */
export async function makeRefreshToken(
  { id, tokenVersion }: KnownUser,
  { family = randomUUID(), lifetime }: RefreshTokenInput,
  { store }: ContentContext,
): Promise<string> {
  const token = makeCode(bytes);
  const expiresAt = new Date(Date.now() + lifetime * 1000);
  const made: RefreshToken = { _id: hashCode(token), user: id, version: tokenVersion, family, expiresAt, usedAt: null };
  await refreshTokenStore(store.database).insert(made);
  return token;
}

/** Ends all refresh tokens of a user. */
export const endRefreshTokens = (userId: number, { store: { database } }: ContentContext): Promise<void> =>
  refreshTokenStore(database).endUser(userId);
