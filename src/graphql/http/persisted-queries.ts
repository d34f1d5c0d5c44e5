import { createHash } from 'node:crypto';
import { BoundedCache } from '../../bounded-cache.js';
import { isRecord } from '../../query/is-record.js';

/** The texts that are kept for clients that send a hash instead. */
const bounds = { entries: 2_000, bytes: 4_000_000 };

/** The text of a request that may name it by its SHA-256 only; or why there is none. */
export type FindQuery = (
  query: string | undefined,
  extensions: unknown,
) => { readonly query: string } | { readonly failure: 'missing' | 'unknown' | 'mismatch' };

/** Automatic persisted queries: a client sends hash and text once, and from then on the hash alone (graphql.md 4.2). */
export function createPersistedQueries(): FindQuery {
  const texts = new BoundedCache<string>(bounds);
  return (query, extensions) => {
    const hash = hashIn(extensions);
    if (hash === null) return query === undefined || query === '' ? { failure: 'missing' } : { query };
    if (query === undefined || query === '') {
      const text = texts.get(hash);
      return text === undefined ? { failure: 'unknown' } : { query: text };
    }
    if (createHash('sha256').update(query).digest('hex') !== hash) return { failure: 'mismatch' };
    texts.set(hash, query, 2 * query.length);
    return { query };
  };
}

function hashIn(extensions: unknown): string | null {
  const persisted = isRecord(extensions) ? extensions['persistedQuery'] : null;
  return isRecord(persisted) && typeof persisted['sha256Hash'] === 'string' ? persisted['sha256Hash'] : null;
}
