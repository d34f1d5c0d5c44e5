import type { Db } from 'mongodb';
import { collections } from '../../schema/collections.js';
import { inReadTime, inWriteTime } from '../send/calls.js';
import { commentIn, type Database } from '../send/database.js';

/** A stored refresh token. `_id` is its keyed hash. */
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

export interface RefreshTokenStore {
  /** Stores a token unless it is stored already. */
  insert(token: RefreshToken): Promise<void>;
  /** Returns a token; null if there is none. */
  find(id: string): Promise<RefreshToken | null>;
  /** Marks a token as used unless it is already. Returns the token as it was before; null if there is none. */
  use(id: string): Promise<RefreshToken | null>;
  endFamily(family: string): Promise<void>;
  endUser(user: number): Promise<void>;
}

/** Returns the refresh tokens in `_refresh_tokens`. The server deletes expired ones. */
export function refreshTokenStore(database: Database): RefreshTokenStore {
  const tokens = database.db.collection<RefreshToken>(collections.refreshTokens);
  const own = commentIn(database);
  return {
    insert: async ({ _id, ...token }) => {
      await ensureIndexes(database);
      await inWriteTime(database, () => tokens.updateOne({ _id }, { $setOnInsert: token }, { upsert: true, ...own }));
    },
    find: (id) => inReadTime(database, () => tokens.findOne({ _id: id }, own)),
    use: (id) =>
      inWriteTime(database, () =>
        tokens.findOneAndUpdate({ _id: id }, [{ $set: { usedAt: { $ifNull: ['$usedAt', new Date()] } } }], {
          returnDocument: 'before',
          ...own,
        }),
      ),
    endFamily: async (family) => {
      await inWriteTime(database, () => tokens.deleteMany({ family }, own));
    },
    endUser: async (user) => {
      await inWriteTime(database, () => tokens.deleteMany({ user }, own));
    },
  };
}

const indexes = [{ key: { expiresAt: 1 }, expireAfterSeconds: 0 }, { key: { family: 1 } }, { key: { user: 1 } }];
const indexed = new WeakSet<Db>();

async function ensureIndexes(database: Database): Promise<void> {
  const { db } = database;
  if (indexed.has(db)) return;
  await inWriteTime(database, () => db.collection(collections.refreshTokens).createIndexes(indexes, commentIn(database)));
  indexed.add(db);
}
