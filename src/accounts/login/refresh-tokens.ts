import { collections } from '#model/schema/collections.js';
import type { Database } from '#store/send/database.js';
import { ownRows } from '#store/write/own-rows.js';

/** A refresh token in `_refresh_tokens`. `_id` is its keyed hash. */
export interface RefreshToken {
  readonly _id: string;
  readonly user: number;
  /** The version of the user's tokens at the time of its creation. */
  readonly version: number;
  /** The id of the login that it originates from. */
  readonly family: string;
  readonly expiresAt: Date;
  /** The time of its first use; null if it was not used. */
  readonly usedAt: Date | null;
}

/** Tokens are read and written at once, without the transaction of the caller. */
const tokens = ownRows<RefreshToken>(collections.refreshTokens, { isApart: true });

/** Stores a token unless it is stored already. */
export async function insertToken(database: Database, { _id, ...initial }: RefreshToken): Promise<void> {
  await tokens.change(database, { _id }, { initial }, { creates: true });
}

/** Returns a token; null if there is none. */
export const findToken = async (database: Database, _id: string): Promise<RefreshToken | null> =>
  (await tokens.find(database, { match: { _id }, limit: 1 }))[0] ?? null;

/** Marks a token as used unless it is already. Returns the token as it was before; null if there is none. */
export const useToken = (database: Database, _id: string): Promise<RefreshToken | null> =>
  tokens.fill(database, { _id }, { usedAt: new Date() });

/** Deletes all tokens of a login, or of a user. */
export const endTokens = (database: Database, of: Pick<RefreshToken, 'family'> | Pick<RefreshToken, 'user'>): Promise<void> =>
  tokens.remove(database, of);
