import { createHmac } from 'node:crypto';
import { SharedValues } from '#base/caches.js';
import { unauthorizedError } from '#base/errors.js';
import { commented, type Document } from '#store/send/database.js';
import type { Store } from '#store/store.js';
import { findStored } from '#store/stored.js';
import { fullAccess, type Access } from '#model/query/access.js';
import { collections } from '#model/schema/collections.js';
import { cacheUntilChanged } from '#store/changes/changes.js';
import type { Backend } from '#store/models/open-backend.js';
import { bulkWrite } from '#store/write/bulk-write.js';
import { changeOne } from '#store/write/compile-change.js';

export const tokenTypes = ['read-only', 'full-access', 'custom', 'admin'] as const;
export type TokenType = (typeof tokenTypes)[number];

/** A stored token. Only a hash of its key is stored. */
export interface ApiToken {
  readonly id: number;
  readonly name: string;
  readonly description: string | null;
  readonly type: TokenType;
  /** The granted actions of a custom token. */
  readonly permissions: readonly string[];
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly createdAt: Date;
  readonly access: Access;
}

/** Returns the hash of a key. Keys cannot be guessed from it without the salt, which is not in the database. */
export const hashKey = (key: string, salt: string): string => createHmac('sha512', salt).update(key).digest('hex');

/** Returns an identifier of a salt that does not reveal the salt. */
export const saltMark = (salt: string): string => hashKey('which salt is this', salt).slice(0, 32);

const date = (value: unknown): Date | null => (value instanceof Date ? value : null);

export function apiToken(document: Document): ApiToken {
  const type = tokenTypes.find((name) => name === document['type']) ?? 'custom';
  const permissions = Array.isArray(document['permissions']) ? document['permissions'].map(String) : [];
  return {
    id: Number(document['_id']),
    name: String(document['name']),
    description: typeof document['description'] === 'string' ? document['description'] : null,
    type,
    permissions,
    expiresAt: date(document['expiresAt']),
    lastUsedAt: date(document['lastUsedAt']),
    createdAt: date(document['createdAt']) ?? new Date(0),
    access: accessOf(type, permissions),
  };
}

/** Throws an UnauthorizedError if a token has expired. */
export function refuseExpired({ expiresAt }: ApiToken): void {
  if (expiresAt !== null && expiresAt.getTime() <= Date.now()) throw unauthorizedError('Token expired', 'token_expired');
}

const readOnlyAccess: Access = { ...fullAccess, grants: { kind: 'readOnly' } };

/** The access of custom tokens, by their permissions. */
const customAccess = new SharedValues<Access>();

/** Returns the same object for tokens with equal rights. */
function accessOf(type: TokenType, permissions: readonly string[]): Access {
  if (type === 'full-access' || type === 'admin') return fullAccess;
  if (type === 'read-only') return readOnlyAccess;
  const actions = new Set([...permissions].sort());
  return customAccess.share(JSON.stringify([...actions]), { ...fullAccess, grants: { kind: 'actions', actions } });
}

/** Maximum age of `lastUsedAt` in milliseconds, so that it is written once per token and hour, not per request. */
const usePrecision = 3_600_000;

/** Finds the token of a key. `comment` is that of commands to the database. */
type FindToken = (key: string, comment?: string) => Promise<ApiToken | null>;

/**
 * Returns a function that finds the token of a key, hashed by the salt or the former one, even if it has expired; null if there is none.
 * All tokens are cached.
 */
export function tokenFinder(backend: Backend, salt: string, former: string | null): FindToken {
  const { store } = backend;
  const readTokens = cacheUntilChanged(store.changes, [collections.tokens], async (comment) => {
    const documents = await findStored(commented(store.database, comment), collections.tokens);
    return new Map(documents.map((document) => [String(document['hash']), apiToken(document)]));
  });
  const noted: Noted = new Map();
  return async (key, comment) => {
    const tokens = await readTokens(comment);
    const token = tokens.get(hashKey(key, salt)) ?? (former === null ? null : tokens.get(hashKey(key, former))) ?? null;
    if (token !== null && isDue(token, noted)) noteUse({ ...store, database: commented(store.database, comment) }, token, noted);
    return token;
  };
}

/** The times at which this process has stored that tokens were used, by their ids. */
type Noted = Map<number, number>;

const isDue = ({ id, lastUsedAt }: ApiToken, noted: Noted): boolean =>
  Date.now() - Math.max(lastUsedAt?.getTime() ?? 0, noted.get(id) ?? 0) >= usePrecision;

/** Stores the time at which a token was used. Not awaited, because a token works even if its use cannot be stored. */
function noteUse(store: Store, { id }: ApiToken, noted: Noted): void {
  const now = Date.now();
  noted.set(id, now);
  const update = changeOne({ _id: id }, { raise: { lastUsedAt: new Date(now) } });
  bulkWrite(store, collections.tokens, [update]).catch(() => noted.delete(id));
}
