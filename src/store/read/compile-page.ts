import type { Document } from 'mongodb';
import { type NestedList, scorePath, type SortKey, type Window } from '#model/query/plan.js';
import { compileKey, isComputed, sortField } from './compile-key.js';
import { compileNear, type NearStage } from './compile-near.js';
import { compileMet, type Resolutions } from './join-related.js';

/** A page of one collection: the common parts of `find` and a pipeline. */
export interface Page {
  readonly collection: string;
  readonly match: Document;
  readonly sort: readonly SortKey[];
  /** The value of the sort key for the score of a full-text search; null or absent if there is no such search. */
  readonly rank?: Document | null;
  /** An expression for the score of a full-text search, which is computed as the value of its sort key; null or absent if it is not. */
  readonly score?: Document | null;
  /** A condition on the sort keys that entries after a cursor meet; null or absent if the page does not begin at one. */
  readonly seek?: Document | null;
  /** Whether the page is read in the opposite order. If a key has several values, the same one counts. */
  readonly backwards?: boolean;
  readonly window: Window;
  readonly projection: Document;
  /** The place whose distance each entry has; null or absent if there is none. */
  readonly near?: NearStage | null;
}

/** Returns the command that reads a page: a `find`, unless the order depends on computed values. */
export function compilePage(page: Page): Document {
  if (sortsByComputed(page.sort) || (page.score ?? null) !== null)
    return { aggregate: page.collection, pipeline: compilePagePipeline(page), allowDiskUse: true, ...inCollation(page) };
  const { skip, limit } = page.window;
  return {
    find: page.collection,
    filter: matchBoth(page.match, page.seek ?? {}),
    sort: compileOrder(page),
    projection: page.projection,
    ...(skip > 0 && { skip }),
    ...(limit !== null && { limit }),
    ...inCollation(page),
  };
}

/** Returns the collation in which a sort compares texts; null if it compares their code points. Bound keys have at most one. */
export const collationOf = (sort: readonly SortKey[]): string | null =>
  sort.find(({ collation }) => collation !== undefined)?.collation ?? null;

/** Returns the option by which a command sorts in the collation of its sort. Its matches must not depend on that: `withoutCollation`. */
export function inCollation({ sort }: Pick<Page, 'sort'>): Document {
  const locale = collationOf(sort);
  return locale === null ? {} : { collation: { locale } };
}

/**
 * Returns the stages that read a page. Sort and window come before the projection. `joined` are further stages that leave out documents,
 * which run in the order of the sort until the page is full.
 */
export function compilePagePipeline(page: Omit<Page, 'collection'>, joined: readonly Document[] = []): Document[] {
  const { match, seek, window, projection } = page;
  return [
    ...compileBeginning(match, page),
    ...compileKeys(page),
    ...((seek ?? null) === null ? [] : [{ $match: seek }]),
    { $sort: compileOrder(page) },
    ...joined,
    ...(window.skip > 0 ? [{ $skip: window.skip }] : []),
    ...(window.limit !== null ? [{ $limit: window.limit }] : []),
    { $project: projection },
  ];
}

/** Returns the stages that read the documents that meet a match. */
export const compileBeginning = (match: Document, { near = null }: Pick<Page, 'near'>): readonly Document[] =>
  near === null ? [{ $match: match }] : compileNear(match, near);

/** Returns a match for the documents that meet both. */
export const matchBoth = (match: Document, other: Document): Document => {
  if (Object.keys(other).length === 0) return match;
  return Object.keys(match).length === 0 ? other : { $and: [match, other] };
};

/**
 * Returns the stages that compute the values of sort keys that are not stored, and a single value for each key that may have several.
 * MongoDB cannot sort by two arrays, and puts an empty array before null.
 */
export const compileKeys = ({ sort, score = null }: Pick<Page, 'sort' | 'score'>): Document[] => [
  ...(score === null ? [] : [{ $set: { [scorePath]: score } }]),
  ...sort.flatMap((key, index) => (isComputed(key) ? compileKey(key, sortField(key, index)) : [])),
];

/** Returns the `$sort` of a page. */
export function compileOrder({
  sort,
  rank,
  score = null,
  backwards,
}: Omit<Page, 'collection' | 'match' | 'window' | 'projection'>): Document {
  const order = compileSort(sort, score === null ? rank : null);
  return backwards === true ? Object.fromEntries(Object.entries(order).map(([field, to]) => [field, -Number(to)])) : order;
}

/** Returns the stages that read the documents that meet a condition and `match`, sorted if there is a sort. */
export function compileTargets(
  { condition, sort }: Pick<NestedList, 'condition' | 'sort'>,
  { match, projection }: Pick<Page, 'match' | 'projection'>,
  resolutions: Resolutions,
): Document[] {
  const { before, joined } = compileMet(condition, resolutions);
  const $match = condition === null ? match : { $and: [match, before] };
  if (sort.length === 0) return [{ $match }, ...joined, { $project: projection }];
  return compilePagePipeline({ match: $match, sort, window: { skip: 0, limit: null }, projection }, joined);
}

/**
 * Returns the `$sort` of bound keys, followed by `_id`, so that pages never overlap. `_id` has the direction of the last key, so
 * that one index serves both. Without keys the order is that of `_id`.
 */
export function compileSort(sort: readonly SortKey[], rank?: Document | null): Document {
  const keys = new Map<string, 1 | -1 | Document>();
  for (const [index, key] of sort.entries()) {
    const field = sortField(key, index);
    if (!keys.has(field)) keys.set(field, key.path === scorePath ? (rank ?? key.order) : key.order);
  }
  if (!keys.has('_id')) keys.set('_id', sort.at(-1)?.order ?? 1);
  return Object.fromEntries(keys);
}

/** Returns whether a sort key is the id of the entry itself. */
export const isById = ({ path, links }: SortKey): boolean => path === '_id' && links.length === 0;

/** Returns whether a sort needs computed values, so that a plain `find` cannot do it. */
export const sortsByComputed = (sort: readonly SortKey[]): boolean => sort.some(isComputed);
