import { createHmac } from 'node:crypto';
import type { Document } from '../mongo/database.js';
import { fullAccess, type Access } from '../query/access.js';

export const tokenTypes = ['read-only', 'full-access', 'custom', 'admin'] as const;
export type TokenType = (typeof tokenTypes)[number];

/** A token as it is stored; of its key only a hash. */
export interface ApiToken {
  readonly id: number;
  readonly name: string;
  readonly description: string | null;
  readonly type: TokenType;
  /** Of custom tokens: the actions granted. */
  readonly permissions: readonly string[];
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly createdAt: Date;
  readonly access: Access;
}

/** The stored form of a key: without the salt, which is no part of the database, nothing can be tried on it. */
export const hashKey = (key: string, salt: string): string => createHmac('sha512', salt).update(key).digest('hex');

/** Tells salts apart without showing them. */
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

function accessOf(type: TokenType, permissions: readonly string[]): Access {
  if (type === 'full-access' || type === 'admin') return fullAccess;
  if (type === 'read-only') return { ...fullAccess, grants: { kind: 'readOnly' } };
  return { ...fullAccess, grants: { kind: 'actions', actions: new Set(permissions) } };
}
