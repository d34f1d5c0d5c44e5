import { createHash } from 'node:crypto';
import { isRecord } from '../../query/is-record.js';

/** Texts kept for clients that send a hash instead, and the longest that is kept. */
const kept = { texts: 1000, characters: 20_000 };

/** The text of a request that may name it by its SHA-256 only; or why there is none. */
export type FindQuery = (
  query: string | undefined,
  extensions: unknown,
) => { readonly query: string } | { readonly failure: 'missing' | 'unknown' | 'mismatch' };

/** Automatic persisted queries: a client sends hash and text once, and from then on the hash alone (graphql.md 4.2). */
export function createPersistedQueries(): FindQuery {
  const texts = new Map<string, string>();
  return (query, extensions) => {
    const hash = hashIn(extensions);
    if (hash === null) return query === undefined || query === '' ? { failure: 'missing' } : { query };
    if (query === undefined || query === '') {
      const text = texts.get(hash);
      return text === undefined ? { failure: 'unknown' } : { query: text };
    }
    if (createHash('sha256').update(query).digest('hex') !== hash) return { failure: 'mismatch' };
    if (query.length <= kept.characters) keep(texts, hash, query);
    return { query };
  };
}

function hashIn(extensions: unknown): string | null {
  const persisted = isRecord(extensions) ? extensions['persistedQuery'] : null;
  return isRecord(persisted) && typeof persisted['sha256Hash'] === 'string' ? persisted['sha256Hash'] : null;
}

function keep(texts: Map<string, string>, hash: string, text: string): void {
  texts.delete(hash);
  texts.set(hash, text);
  const [oldest] = texts.keys();
  if (texts.size > kept.texts && oldest !== undefined) texts.delete(oldest);
}
