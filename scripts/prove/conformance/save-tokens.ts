import type { Db } from 'mongodb';
import { hashKey } from '../../../src/content/rights/api-token.js';
import { insertEntries } from './insert-entries.js';
import type { TokenSetup } from './read-content.js';
import { tokenSalt } from './server-config.js';

/** Writes the API tokens; of the key only its hash is kept. */
export async function saveTokens(db: Db, tokens: readonly TokenSetup[]): Promise<void> {
  const entries = tokens.map(({ name, type, accessKey, permissions = [], expiresAt = null }) => ({
    name,
    description: '',
    type,
    permissions,
    hash: hashKey(accessKey, tokenSalt),
    lifespan: expiresAt === null ? null : 1,
    expiresAt: expiresAt === null ? null : new Date(expiresAt),
  }));
  await insertEntries(db, '_tokens', entries);
}
