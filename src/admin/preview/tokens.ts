import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Database } from '#store/send/database.js';
import { is } from '#store/form/matches.js';
import { ownRows } from '#store/write/own-rows.js';
import { previewCollection } from './settings.js';

/** A token as it is stored. It shows one entry with the rights of an administrator. */
interface StoredToken {
  readonly _id: string;
  /** The SHA-256 of the secret part. */
  readonly hash: string;
  readonly uid: string;
  readonly entry: number;
  /** Null if the type is not localized. */
  readonly locale: string | null;
  readonly administrator: number;
  /** The version of the administrator's tokens. A new password and blocking increase it, which ends previews too. */
  readonly version: number;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** Whose rights a token has, and what it shows. */
export type TokenSubject = Pick<StoredToken, 'uid' | 'entry' | 'locale' | 'administrator' | 'version'>;

/** Maximum number of tokens of an administrator. A further one ends the oldest. */
const most = 100;

const tokens = ownRows<StoredToken>(previewCollection);

const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('base64url');

/** A token as it is answered, once. */
interface NewToken {
  readonly id: string;
  readonly token: string;
  readonly expiresAt: Date;
}

/** Stores a token, which is valid for some seconds. */
export async function createToken(database: Database, subject: TokenSubject, seconds: number): Promise<NewToken> {
  const [id, secret, createdAt] = [randomBytes(12).toString('base64url'), randomBytes(32).toString('base64url'), new Date()];
  const expiresAt = new Date(createdAt.getTime() + 1_000 * seconds);
  await tokens.put(database, { _id: id, hash: hashOf(secret), ...subject, createdAt, expiresAt });
  const { administrator } = subject;
  const older = { match: { administrator }, sort: { createdAt: -1, _id: 1 }, skip: most, fields: ['_id'] } as const;
  const surplus = (await tokens.find(database, older)).map(({ _id }) => _id);
  if (surplus.length > 0) await tokens.remove(database, { _id: is.oneOf(surplus) });
  return { id, token: `${id}.${secret}`, expiresAt };
}

/** Returns what a token shows; null if it is wrong or has ended. */
export async function findToken(database: Database, token: string): Promise<StoredToken | null> {
  const [, _id, secret] = /^([\w-]{16})\.([\w-]{43})$/.exec(token) ?? [];
  if (_id === undefined || secret === undefined) return null;
  const [stored] = await tokens.find(database, { match: { _id }, limit: 1 });
  if (stored === undefined || stored.expiresAt.getTime() <= Date.now()) return null;
  return timingSafeEqual(Buffer.from(stored.hash), Buffer.from(hashOf(secret))) ? stored : null;
}

/** Ends a token of an administrator. Returns false if there is none of that id. */
export const endToken = async (database: Database, _id: string, administrator: number): Promise<boolean> =>
  (await tokens.take(database, { _id, administrator })) !== null;
