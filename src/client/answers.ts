import type { CallOptions } from './requester.js';

/** The answer with one entry. */
export interface Single<Entry> {
  data: Entry;
  meta: object;
}

/** The answer with a page of entries. */
export interface Page<Entry, Pagination, Facets = unknown> {
  data: Entry[];
  meta: { pagination: Pagination; searchTruncated?: true } & Facets;
}

/** The answer with a number of entries. */
export interface Count {
  data: { count: number };
  meta: object;
}

/** A write of a batch. `$0` as the value of a relation, or in the path, is the id that the first write has created. */
export interface BatchWrite {
  readonly method: 'POST' | 'PUT' | 'DELETE';
  /** Path of entries of a content type below the API prefix: `/articles/1`. */
  readonly path: string;
  readonly query?: object;
  readonly body?: object;
  readonly headers?: { readonly 'If-Match': string };
}

export interface BatchOptions extends CallOptions {
  /** Whether the first failure undoes all writes, and is thrown; false by default, so that each stands alone. */
  readonly transaction?: boolean;
}

/** The answer to a write of a batch, as if it was sent on its own. */
export interface BatchAnswer {
  status: number;
  body: unknown;
}

/** What a user has allowed a client of OAuth. */
export interface Grant {
  id: string;
  /** `host` is that of the document of the client; null if it has registered itself, and chosen its name. */
  client: { id: string; name: string; host: string | null };
  scopes: readonly string[];
  createdAt: string;
  /** When the client got tokens last. */
  usedAt: string;
  expiresAt: string;
}
