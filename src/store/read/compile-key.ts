import type { Document } from 'mongodb';
import type { SortKey } from '#model/query/plan.js';
import { asList, notNull } from './compile-condition.js';
import { idsAt, joinFields, onlyIds } from './join-related.js';

/** Returns whether the values of a sort key are computed. */
export const isComputed = ({ links, lists }: SortKey): boolean => links.length > 0 || lists.length > 0;

/** Returns the field of a sort key: its path, or the field with its computed value. */
export const sortField = (key: SortKey, index: number): string => (isComputed(key) ? `_sort${String(index)}` : key.path);

/**
 * Returns the stages that join the entries along the links of a key, where each step replaces the one before, and reduce the
 * values at the end to one.
 */
export function compileKey({ links, path, lists, order }: SortKey, field: string): Document[] {
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
  const local = isFirst ? localField : `${field}.${localField}`;
  const mayBeList = storage.kind === 'own' && kept !== null;
  const lookup = {
    from: step.target.collection,
    localField: mayBeList ? field : local,
    foreignField,
    ...(pipeline.length > 0 && { pipeline }),
  };
  const ids = isFirst && !step.inList ? idsAt(local) : onlyIds(flattened(asList(`$${local}`)));
  const before = mayBeList ? [{ $set: { [field]: ids } }] : [];
  if (storage.kind !== 'localizations') return [...before, { $lookup: { ...lookup, as: field } }];
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

const flat = (lists: Document, item: unknown = '$$this'): Document => ({
  $reduce: { input: lists, initialValue: [], in: { $concatArrays: ['$$value', item] } },
});

/** Returns an expression for the links of joined entries, or of the elements of lists, which may be lists in lists. */
const flattened = (links: Document): Document => {
  const once = (input: Document): Document => flat(input, asList('$$this'));
  return once(once(once(links)));
};
