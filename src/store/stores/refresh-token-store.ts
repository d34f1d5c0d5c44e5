import type { Collection } from 'mongodb';
import { collections } from '#model/schema/collections.js';
import { inReadTime, inWriteTime } from '../send/calls.js';
import { commentIn, type Database } from '../send/database.js';

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

const tokensIn = ({ db }: Database): Collection<RefreshToken> => db.collection<RefreshToken>(collections.refreshTokens);

/** Stores a token unless it is stored already. */
export async function insertToken(database: Database, { _id, ...token }: RefreshToken): Promise<void> {
  const upsert = { upsert: true, ...commentIn(database) };
  await inWriteTime(database, () => tokensIn(database).updateOne({ _id }, { $setOnInsert: token }, upsert));
}

/** Returns a token; null if there is none. */
export const findToken = (database: Database, id: string): Promise<RefreshToken | null> =>
  inReadTime(database, () => tokensIn(database).findOne({ _id: id }, commentIn(database)));

/** Marks a token as used unless it is already. Returns the token as it was before; null if there is none. */
export function useToken(database: Database, id: string): Promise<RefreshToken | null> {
  const update = [{ $set: { usedAt: { $ifNull: ['$usedAt', new Date()] } } }];
  const options = { returnDocument: 'before', ...commentIn(database) } as const;
  return inWriteTime(database, () => tokensIn(database).findOneAndUpdate({ _id: id }, update, options));
}

/** Deletes all tokens of a login, or of a user. */
export async function endTokens(
  database: Database,
  of: Pick<RefreshToken, 'family'> | Pick<RefreshToken, 'user'>,
): Promise<void> {
  await inWriteTime(database, () => tokensIn(database).deleteMany(of, commentIn(database)));
}
