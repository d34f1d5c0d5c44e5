import { createHash } from 'node:crypto';
import { BSON, type Document } from 'mongodb';
import { memoize } from '#base/caches.js';
import { isPlainObject } from '#base/values.js';
import type { Condition } from '#model/query/plan.js';

/**
 * Returns the text of the query that a condition is compiled to. It is cached, because conditions of cached plans are the same
 * objects.
 */
export function queryText(condition: Condition, match: Document): string {
  const text = texts.get(condition) ?? JSON.stringify(match);
  texts.set(condition, text);
  return text;
}

const texts = new WeakMap<Condition, string>();

/** Returns the digest of a query. The query itself may be long, because conditions on related entries are lists of ids. */
export const queryDigest = memoize((match: Document) =>
  createHash('sha256')
    .update(BSON.serialize(inOrder(match)))
    .digest('base64'),
);

/** Returns a query with its lists of ids in ascending order. Those that groups lead to differ in it from read to read. */
const inOrder = (match: Document): Document =>
  Object.fromEntries(Object.entries(match).map(([key, value]) => [key, isIn.has(key) ? sorted(value) : deeply(value)]));

const isIn: ReadonlySet<string> = new Set(['$in', '$nin']);

const sorted = (value: unknown): unknown => (isNumbers(value) ? Array.from(Float64Array.from(value).sort()) : deeply(value));

const isNumbers = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'number');

const deeply = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(deeply);
  return isPlainObject(value) ? inOrder(value) : value;
};
