import type { Document } from 'mongodb';
import type { SortKey } from '../query/plan.js';
import { notNull } from './not-null.js';

/**
 * The `$sort` of bound keys, with `_id` behind the last so that pages never overlap. It runs in the direction of the last key,
 * which lets one index serve both. Without keys the order is that of `_id`.
 */
export function compileSort(sort: readonly SortKey[]): Document {
  const keys = new Map<string, 1 | -1>();
  for (const [index, key] of sort.entries()) {
    const path = isComputed(key) ? computed(index) : key.path;
    if (!keys.has(path)) keys.set(path, key.order);
  }
  if (!keys.has('_id')) keys.set('_id', sort.at(-1)?.order ?? 1);
  return Object.fromEntries(keys);
}

/**
 * The stages that compute what the documents are sorted by: one value for each key that may have several. MongoDB refuses to
 * sort by two keys that are arrays, and puts an empty array before null.
 */
export const compileSortValues = (sort: readonly SortKey[]): Document[] =>
  sort.flatMap((key, index) => (isComputed(key) ? compileKey(key, computed(index)) : []));

/** Whether a sort needs values that the documents do not hold as they are, so that a plain `find` cannot do it. */
export const sortsByComputed = (sort: readonly SortKey[]): boolean => sort.some(isComputed);

const isComputed = ({ links, lists }: SortKey): boolean => links.length > 0 || lists.length > 0;

const computed = (index: number): string => `_sort${String(index)}`;

/** Joins what the key leads through, each step in the place of the one before, and reduces the values at its end to one. */
function compileKey({ links, path, lists, order }: SortKey, field: string): Document[] {
  const joins = links.flatMap((step, depth) => {
    const next = links[depth + 1];
    const isOne = links.slice(0, depth + 1).every(({ many }) => !many);
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
    // nothing joined before is null to the server, and would find the entries that are linked to nothing
    ...(storage.kind === 'inverse' && !isFirst ? [{ $match: { [foreignField]: notNull.link } }] : []),
    ...(kept === null ? [] : [{ $project: { _group: 1, [kept.split('.')[0] ?? kept]: 1 } }]),
  ];
  const lookup = {
    from: step.target.collection,
    localField: isFirst ? localField(step) : `${field}.${localField(step)}`,
    foreignField,
    ...(pipeline.length > 0 && { pipeline }),
  };
  if (storage.kind !== 'siblings') return [{ $lookup: { ...lookup, as: field } }];
  const group = `${field}_group`;
  const from = isFirst ? [{ _id: '$_id', _group: '$_group' }] : `$${field}`;
  return [{ $lookup: { ...lookup, as: group } }, { $set: { [field]: othersOf(from, `$${group}`) } }];
}

function localField({ link, path }: Step): string {
  if (link.storage.kind === 'inverse') return '_id';
  return link.storage.kind === 'siblings' ? '_group' : path;
}

function foreignFieldOf({ link: { storage } }: Step): string {
  if (storage.kind === 'inverse') return storage.field;
  return storage.kind === 'siblings' ? '_group' : '_id';
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
