import { collections } from '../schema/collections.js';
import { changeOne } from '../mongo/write/compile-change.js';
import { cacheUntilChanged } from '../mongo/changes.js';
import { readAll } from '../mongo/database.js';
import type { Backend } from '../mongo/models/open-backend.js';
import { bulkWrite } from '../mongo/write/write-entries.js';
import { apiToken, hashKey, type ApiToken } from './api-token.js';

/** How long `lastUsedAt` may be behind, in milliseconds: a write per hour and token, not per request. */
const usePrecision = 3_600_000;

/** Finds the token that a key belongs to, expired ones too; null if there is none. All tokens are kept in memory. */
export function tokenFinder(backend: Backend, salt: string): (key: string) => Promise<ApiToken | null> {
  const { store } = backend;
  const readTokens = cacheUntilChanged(store.changes, [collections.tokens], async () => {
    const documents = await readAll(store.database, { find: collections.tokens, batchSize: 1_000_000 });
    return new Map(documents.map((document) => [String(document['hash']), apiToken(document)]));
  });
  const noted = new Map<number, number>();
  return async (key) => {
    const token = (await readTokens()).get(hashKey(key, salt)) ?? null;
    if (token !== null) noteUse(backend, token, noted);
    return token;
  };
}

/** Not waited for: a token works whether or not its use could be noted. */
function noteUse({ store }: Backend, { id, lastUsedAt }: ApiToken, noted: Map<number, number>): void {
  const now = Date.now();
  if (now - Math.max(lastUsedAt?.getTime() ?? 0, noted.get(id) ?? 0) < usePrecision) return;
  noted.set(id, now);
  const update = changeOne({ _id: id }, { raise: { lastUsedAt: new Date(now) } });
  bulkWrite(store, collections.tokens, [update]).catch(() => noted.delete(id));
}
