import type { Database } from './database.js';
import { translating } from './driver-errors.js';

/** A refresh token as it is stored, under the hash of its key. */
export interface RefreshToken {
  readonly _id: string;
  readonly user: number;
  /** The version of the user's tokens when it was made. */
  readonly version: number;
  /** The login that it goes back to. */
  readonly family: string;
  readonly expiresAt: Date;
  readonly usedAt: Date | null;
}

export interface RefreshTokenStore {
  insert(token: RefreshToken): Promise<void>;
  /** Marks a token as used, and gives it as it was before; null where there is none. */
  use(id: string): Promise<RefreshToken | null>;
  has(id: string): Promise<boolean>;
  endFamily(family: string): Promise<void>;
  endUser(user: number): Promise<void>;
}

/** Refresh tokens in `_refresh_tokens`; the server deletes them when they have run out. */
export function refreshTokenStore({ db }: Database): RefreshTokenStore {
  const tokens = db.collection<RefreshToken>('_refresh_tokens');
  return {
    insert: async (token) => {
      await translating(() => tokens.createIndexes(indexes));
      await translating(() => tokens.insertOne(token));
    },
    use: (id) =>
      translating(() => tokens.findOneAndUpdate({ _id: id }, { $set: { usedAt: new Date() } }, { returnDocument: 'before' })),
    has: async (id) => (await translating(() => tokens.findOne({ _id: id }, { projection: { _id: 1 } }))) !== null,
    endFamily: async (family) => {
      await translating(() => tokens.deleteMany({ family }));
    },
    endUser: async (user) => {
      await translating(() => tokens.deleteMany({ user }));
    },
  };
}

const indexes = [{ key: { expiresAt: 1 }, expireAfterSeconds: 0 }, { key: { family: 1 } }, { key: { user: 1 } }];
