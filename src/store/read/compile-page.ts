import type { Document } from 'mongodb';
import { type NestedList, scorePath, type SortKey, type Window } from '#model/query/plan.js';
import { asList, notNull } from './compile-condition.js';
import { compileNear, type NearStage } from './compile-near.js';
import { compileMet, joinFields, type Resolutions } from './join-related.js';

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
    filter: both(page.match, page.seek ?? {}),
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
export const both = (match: Document, other: Document): Document => {
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

const isComputed = ({ links, lists }: SortKey): boolean => links.length > 0 || lists.length > 0;

/** Returns the field of a sort key: its path, or the field with its computed value. */
const sortField = (key: SortKey, index: number): string => (isComputed(key) ? `_sort${String(index)}` : key.path);

/**
 * Returns the stages that join the entries along the links of a key, where each step replaces the one before, and reduce the
 * values at the end to one.
 */
function compileKey({ links, path, lists, order }: SortKey, field: string): Document[] {
  const joins = links.flatMap((step, depth) => {
    const next = links[depth + 1];
    const isOne = links.slice(0, depth + 1).every(({ link, inList }) => !link.many && !inList);
    const kept = next === undefined ? path : joinFields(next).localField;
    return compileJoin(step, { field, isFirst: depth === 0, kept: isOne ? null : kept });
  });
  const values = links.length === 0 ? valuesAt('$', path, lists) : valuesAt('$', `${field}.${path}`, joinedLists(lists, field));
  const first = orNull({ $first: { $sortArray: { input: values, sortBy: order } } });
  return [...joins, { $set: { [field]: lists.includes(path) ? wrapList(first) : first } }];
}

/** Returns an expression for a JSON value in which a list stands in an object. `$sort` would compare a list by one of its items. */
const wrapList = (expression: Document): Document => ({
  $let: { vars: { value: expression }, in: { $cond: [{ $isArray: '$$value' }, { list: '$$value' }, '$$value'] } },
});

const joinedLists = (lists: readonly string[], field: string): string[] => [field, ...lists.map((list) => `${field}.${list}`)];

type Step = SortKey['links'][number];

interface Join {
  readonly field: string;
  readonly isFirst: boolean;
  /**
   * The path that is read of the joined documents; null for a whole document, which the server joins three times faster if there
   * is only one.
   */
  readonly kept: string | null;
}

function compileJoin(step: Step, { field, isFirst, kept }: Join): Document[] {
  const { storage } = step.link;
  const { localField, foreignField } = joinFields(step);
  const pipeline = [
    // without a joined entry the local value is null, which would match entries without links
    ...(storage.kind === 'inverse' && !isFirst ? [{ $match: { [foreignField]: notNull.link } }] : []),
    ...(kept === null ? [] : [{ $project: { _group: 1, [kept.split('.')[0] ?? kept]: 1 } }]),
  ];
  const lookup = {
    from: step.target.collection,
    localField: isFirst ? localField : `${field}.${localField}`,
    foreignField,
    ...(pipeline.length > 0 && { pipeline }),
  };
  if (storage.kind !== 'localizations') return [{ $lookup: { ...lookup, as: field } }];
  const group = `${field}_group`;
  const from = isFirst ? [{ _id: '$_id', _group: '$_group' }] : `$${field}`;
  return [{ $lookup: { ...lookup, as: group } }, { $set: { [field]: othersOf(from, `$${group}`) } }];
}

/** Returns an expression for the entries of a group that are localizations of another entry among `from`. */
function othersOf(from: unknown, group: string): Document {
  const isOther = { $and: [{ $eq: ['$$one._group', '$$other._group'] }, { $ne: ['$$one._id', '$$other._id'] }] };
  const cond = { $anyElementTrue: [{ $map: { input: from, as: 'one', in: isOther } }] };
  return { $filter: { input: group, as: 'other', cond } };
}

const orNull = (expression: unknown): Document => ({ $ifNull: [expression, null] });

/** Returns an expression for the array of the values at a path, some prefixes of which are lists. */
function valuesAt(base: string, path: string, [list, ...lists]: readonly string[]): Document {
  if (list === undefined) return orNull(base + path);
  if (list === path) return asList(base + path);
  const inner = lists.map((prefix) => prefix.slice(list.length + 1));
  const values = {
    $map: { input: asList(base + list), in: valuesAt('$$this.', path.slice(list.length + 1), inner) },
  };
  return inner.length === 0 ? values : flat(values);
}

const flat = (lists: Document): Document => ({
  $reduce: { input: lists, initialValue: [], in: { $concatArrays: ['$$value', '$$this'] } },
});
