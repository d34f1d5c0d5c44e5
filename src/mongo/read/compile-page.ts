import type { Document } from 'mongodb';
import { type NestedList, scorePath, type SortKey, type Window } from '../../query/plan.js';
import { compileCondition, notNull, type Resolved } from './compile-condition.js';

/** A page of one collection: the common parts of `find` and a pipeline. */
export interface Page {
  readonly collection: string;
  readonly match: Document;
  readonly sort: readonly SortKey[];
  /** The value of the sort key that is the score of a search for words; null or absent: there is no such search. */
  readonly rank?: Document | null;
  readonly window: Window;
  readonly projection: Document;
}

/** The command that reads a page: `find`, unless the order depends on values that are computed. */
export function compilePage(page: Page): Document {
  if (sortsByComputed(page.sort))
    return {
      aggregate: page.collection,
      pipeline: compilePagePipeline(page),
      cursor: {},
      allowDiskUse: true,
    };
  const { skip, limit } = page.window;
  return {
    find: page.collection,
    filter: page.match,
    sort: compileSort(page.sort, page.rank),
    projection: page.projection,
    ...(skip > 0 && { skip }),
    ...(limit !== null && { limit }),
  };
}

/** The same page as stages. Sort and cut come before anything is read that only the page needs. */
export function compilePagePipeline({ match, sort, rank, window, projection }: Omit<Page, 'collection'>): Document[] {
  return [
    { $match: match },
    ...compileSortValues(sort),
    { $sort: compileSort(sort, rank) },
    ...(window.skip > 0 ? [{ $skip: window.skip }] : []),
    ...(window.limit !== null ? [{ $limit: window.limit }] : []),
    { $project: projection },
  ];
}

/** The documents that meet a condition and `match`, sorted if there is a sort. */
export function compileTargets(
  { condition, sort }: NestedList,
  { match, projection }: Pick<Page, 'match' | 'projection'>,
  resolved: Resolved,
): Document[] {
  const $match = condition === null ? match : { $and: [match, compileCondition(condition, resolved)] };
  if (sort.length === 0) return [{ $match }, { $project: projection }];
  return compilePagePipeline({ match: $match, sort, window: { skip: 0, limit: null }, projection });
}

/**
 * The `$sort` of bound keys, with `_id` behind the last so that pages never overlap. It runs in the direction of the last key,
 * which lets one index serve both. Without keys the order is that of `_id`.
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

/** Whether a sort key is the id of the entry itself. */
export const isById = ({ path, links }: SortKey): boolean => path === '_id' && links.length === 0;

/**
 * The stages that compute what the documents are sorted by: one value for each key that may have several. MongoDB refuses to
 * sort by two keys that are arrays, and puts an empty array before null.
 */
const compileSortValues = (sort: readonly SortKey[]): Document[] =>
  sort.flatMap((key, index) => (isComputed(key) ? compileKey(key, sortField(key, index)) : []));

/** Whether a sort needs values that are not stored as they are, so that a plain `find` cannot do it. */
export const sortsByComputed = (sort: readonly SortKey[]): boolean => sort.some(isComputed);

const isComputed = ({ links, lists }: SortKey): boolean => links.length > 0 || lists.length > 0;

/** The field that a document is sorted by: the path itself, or the one that its value is computed into. */
const sortField = (key: SortKey, index: number): string => (isComputed(key) ? `_sort${String(index)}` : key.path);

/** Joins what the key leads through, each step in the place of the one before, and reduces the values at its end to one. */
function compileKey({ links, path, lists, order }: SortKey, field: string): Document[] {
  const joins = links.flatMap((step, depth) => {
    const next = links[depth + 1];
    const isOne = links.slice(0, depth + 1).every(({ link, inList }) => !link.many && !inList);
    const kept = next === undefined ? path : localField(next);
    return compileJoin(step, { field, isFirst: depth === 0, kept: isOne ? null : kept });
  });
  const values = links.length === 0 ? valuesAt('$', path, lists) : valuesAt('$', `${field}.${path}`, joinedLists(lists, field));
  const first = { $first: { $sortArray: { input: values, sortBy: order } } };
  return [...joins, { $set: { [field]: orNull(first) } }];
}

const joinedLists = (lists: readonly string[], field: string): string[] => [field, ...lists.map((list) => `${field}.${list}`)];

type Step = SortKey['links'][number];

interface Join {
  readonly field: string;
  readonly isFirst: boolean;
  /** The path that is read of the joined documents. Null: of one whole document, which the server joins three times faster. */
  readonly kept: string | null;
}

function compileJoin(step: Step, { field, isFirst, kept }: Join): Document[] {
  const { storage } = step.link;
  const foreignField = foreignFieldOf(step);
  const pipeline = [
    // without a joined entry the value is null to the server, and would match entries without links
    ...(storage.kind === 'inverse' && !isFirst ? [{ $match: { [foreignField]: notNull.link } }] : []),
    ...(kept === null ? [] : [{ $project: { _group: 1, [kept.split('.')[0] ?? kept]: 1 } }]),
  ];
  const lookup = {
    from: step.target.collection,
    localField: isFirst ? localField(step) : `${field}.${localField(step)}`,
    foreignField,
    ...(pipeline.length > 0 && { pipeline }),
  };
  if (storage.kind !== 'localizations') return [{ $lookup: { ...lookup, as: field } }];
  const group = `${field}_group`;
  const from = isFirst ? [{ _id: '$_id', _group: '$_group' }] : `$${field}`;
  return [{ $lookup: { ...lookup, as: group } }, { $set: { [field]: othersOf(from, `$${group}`) } }];
}

function localField({ link, path }: Step): string {
  if (link.storage.kind === 'inverse') return '_id';
  return link.storage.kind === 'localizations' ? '_group' : path;
}

function foreignFieldOf({ link: { storage } }: Step): string {
  if (storage.kind === 'inverse') return storage.field;
  return storage.kind === 'localizations' ? '_group' : '_id';
}

/** The entries of a group that are a localization of another one among `from`. */
function othersOf(from: unknown, group: string): Document {
  const isOther = { $and: [{ $eq: ['$$one._group', '$$other._group'] }, { $ne: ['$$one._id', '$$other._id'] }] };
  const cond = { $anyElementTrue: [{ $map: { input: from, as: 'one', in: isOther } }] };
  return { $filter: { input: group, as: 'other', cond } };
}

const orNull = (expression: unknown): Document => ({ $ifNull: [expression, null] });

/** The array of the values at a path of which some prefixes are lists. */
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

/** JSON may be anything; a list of components that was never written is empty. */
const asList = (path: string): Document => ({
  $cond: [{ $isArray: path }, path, { $cond: [{ $lte: [path, null] }, [], [path]] }],
});
