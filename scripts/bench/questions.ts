import type { Db } from 'mongodb';
import { stringify } from 'qs';
import { makeArticleValues } from './data-set.js';
import { Random } from '../random.js';
import { authorCount, categoryCount, tagCount, type Size } from './sizes.js';

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  readonly path: string;
  /** JSON. */
  readonly body?: string;
  readonly form?: MultipartForm;
  /** The type of the answer; JSON by default. */
  readonly answer?: 'bytes';
  readonly authorization?: string;
  /** Whether the client has the answer, so that it must be a 304. */
  readonly isKnown?: true;
  /** The encoding that the answer may have. */
  readonly encoding?: 'gzip' | 'br';
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The Idempotency-Key. */
  readonly key?: string;
}

export interface MultipartForm {
  /** With the boundary. */
  readonly type: string;
  readonly bytes: Buffer;
}

/** One thing that clients ask for, spelt for both targets. */
export interface Question {
  readonly product: HttpRequest;
  readonly baseline: HttpRequest;
}

/** A row of the workload: the `n`th of an endless series of similar requests. */
export interface Row {
  readonly key: string;
  readonly title: string;
  /** Maximum CPU of the product as a multiple of the baseline's; null: shown only. */
  readonly goal: number | null;
  /** Every question, or every one that is asked for the first time, looks at all entries, so that it takes longer as content grows. */
  readonly scans?: 'always' | 'once';
  /**
   * The places are synced in a run with such a row, which makes every write note its change. Two builds over one database share that
   * work unequally: only one of them writes the notes.
   */
  readonly isSynced?: true;
  ask(n: number, asker: Asker): Question;
  /** Deletes what was written, after each measurement: it would fill the disk. */
  clear?(db: Db): Promise<void>;
}

/** The data set of a request. */
export interface Asker {
  readonly size: Size;
}

export const newest = { sort: 'publishedAt:desc', pagination: { pageSize: 25 } };

// As client libraries write it: the brackets of the keys stay as they are.
export const spell = (query: object): string => stringify(query, { encodeValuesOnly: true });

/** Headers of requests that the product answers by its database, not from memory. */
export const anew = { 'cache-control': 'no-cache' };

export const get = (product: string, baseline: string): Question => ({
  product: { method: 'GET', path: product, headers: anew },
  baseline: { method: 'GET', path: baseline },
});

/** Returns a question of which the client has the answer of the product already. The baseline answers in full. */
export const known = (question: Question): Question => {
  const { product, baseline } = kept(question);
  return { product: { ...product, isKnown: true }, baseline };
};

/** Returns a question that the product answers from memory. */
export const kept = ({ product, baseline }: Question): Question => ({ product: { ...product, headers: {} }, baseline });

const run = Date.now().toString(36);
let created = 0;

/** Returns a value that no other question of any run has. */
export const unused = (): string => `bench-${run}-${String(created++)}`;

/** Row e with a key, which the baseline does not have. */
export function askCreateOnce(n: number, asker: Asker): Question {
  const { product, baseline } = askCreate(n, asker);
  return { product: { ...product, key: `key-of-${unused()}` }, baseline };
}

export function askCreate(n: number, { size }: Asker): Question {
  const random = new Random(n);
  const values = makeArticleValues(random, size);
  const links = {
    categories: random.draw(2, categoryCount),
    tags: random.draw(2, tagCount),
    author: 1 + random.below(authorCount(size)),
  };
  const body = JSON.stringify({ data: { ...values, ...links, slug: unused(), publishedAt: '2019-06-01T00:00:00.000Z' } });
  return {
    product: { method: 'POST', path: '/api/articles', body },
    baseline: { method: 'POST', path: '/e', body },
  };
}

/** The number of creates in one request. */
const batched = 20;

/** Creates in one transaction. The baseline creates as often without one. */
export function askBatch(n: number, asker: Asker): Question {
  const creates = Array.from({ length: batched }, (_, index) => askCreate(n * batched + index, asker));
  const bodies = creates.map(({ product }) => JSON.parse(product.body ?? '') as unknown);
  const requests = bodies.map((body) => ({ method: 'POST', path: '/articles', body }));
  const body = JSON.stringify({ transaction: true, requests });
  return {
    product: { method: 'POST', path: '/api/batch', body },
    baseline: { method: 'POST', path: '/batch', body },
  };
}
