import type { Db } from 'mongodb';
import { collections } from '../../schema/collections.js';
import { type Database, translating } from '../database.js';

/** A refresh token as it is stored, under the hash of its key. */
export interface RefreshToken {
  readonly _id: string;
  readonly user: number;
  /** The version of the user's tokens when it was made. */
  readonly version: number;
  /** The login that it goes back to. */
  readonly family: string;
  readonly expiresAt: Date;
  /** The time of its first use; null if it was not used. */
  readonly usedAt: Date | null;
}

export interface RefreshTokenStore {
  /** Stores a token, unless it is there already. */
  insert(token: RefreshToken): Promise<void>;
  /** Returns a token; null if there is none. */
  find(id: string): Promise<RefreshToken | null>;
  /** Marks a token as used, if it was not yet. Returns it as it was before; null if there is none. */
  use(id: string): Promise<RefreshToken | null>;
  endFamily(family: string): Promise<void>;
  endUser(user: number): Promise<void>;
}

/** Refresh tokens in `_refresh_tokens`. The server deletes them when they expire. */
export function refreshTokenStore({ db }: Database): RefreshTokenStore {
  const tokens = db.collection<RefreshToken>(collections.refreshTokens);
  return {
    insert: async ({ _id, ...token }) => {
      await ensureIndexes(db);
      await translating(() => tokens.updateOne({ _id }, { $setOnInsert: token }, { upsert: true }));
    },
    find: (id) => translating(() => tokens.findOne({ _id: id })),
    use: (id) =>
      translating(() =>
        tokens.findOneAndUpdate({ _id: id }, [{ $set: { usedAt: { $ifNull: ['$usedAt', new Date()] } } }], {
          returnDocument: 'before',
        }),
      ),
    endFamily: async (family) => {
      await translating(() => tokens.deleteMany({ family }));
    },
    endUser: async (user) => {
      await translating(() => tokens.deleteMany({ user }));
    },
  };
}

const indexes = [{ key: { expiresAt: 1 }, expireAfterSeconds: 0 }, { key: { family: 1 } }, { key: { user: 1 } }];
const indexed = new WeakSet<Db>();

async function ensureIndexes(db: Db): Promise<void> {
  if (indexed.has(db)) return;
  await translating(() => db.collection(collections.refreshTokens).createIndexes(indexes));
  indexed.add(db);
}
