import type { Document } from 'mongodb';
import {
  type Aggregation,
  countPath,
  type Figure,
  figurePath,
  type GroupKey,
  type GroupSort,
  keyPath,
} from '#model/query/aggregate/aggregation.js';
import { scalarTypes } from '#model/schema/scalar-types.js';
import { compileCondition } from '../compile-condition.js';
import { compileBucket, compileRange, compileShown, compileValue } from './compile-values.js';
import type { CompiledLink } from './compile-links.js';

/** The relations of keys and figures, compiled, by these. */
export type CompiledLinks = ReadonlyMap<GroupKey | Figure, CompiledLink>;

/**
 * Compiles groups to the stages after those that find the entries. Each document is a group: `_id` has the keys, and the number of
 * entries and the figures follow. There is one more group than answered at most, if there are more. Without
 * keys the caller checks the conditions on groups, because the database has no group of no entries.
 */
export function compileGroups(aggregation: Aggregation, links: CompiledLinks): readonly Document[] {
  const { keys, figures, having, sort, minGroup, maxGroups } = aggregation;
  const fields = keys.flatMap((key, index) => compileField(key, index));
  const isSortedByField = sort.some(({ by }) => by.kind === 'field');
  return [
    ...[...links.values()].flatMap(({ stages }) => stages),
    { $group: { _id: compileKeys(keys, links), [countPath]: { $sum: 1 }, ...compileFigures(figures, links) } },
    ...(minGroup > 1 && keys.length > 0 ? [{ $match: { [countPath]: { $gte: minGroup } } }] : []),
    ...completeFigures(figures),
    ...(having === null || keys.length === 0 ? [] : [{ $match: compileCondition(having, new Map()) }]),
    ...(isSortedByField ? fields : []),
    ...(keys.length === 0 ? [] : [{ $sort: compileSort(aggregation) }, { $limit: maxGroups + 1 }]),
    ...(isSortedByField ? [] : fields),
  ];
}

const compileKeys = (keys: readonly GroupKey[], links: CompiledLinks): Document | null =>
  keys.length === 0 ? null : Object.fromEntries(keys.map((key, index) => [keyPath(index), compileKey(key, links)]));

function compileKey(key: GroupKey, links: CompiledLinks): unknown {
  if (key.kind === 'link') return links.get(key)?.value ?? null;
  if (key.bucket !== null) return compileBucket(key.path, key.type, key.bucket);
  return key.ranges === null ? compileShown(key.path, key.type) : compileRange(compileValue(key.path, key.type), key.ranges);
}

/** The field that tells how many values a sum has. */
const countOf = (index: number): string => `${figurePath(index)}n`;

const compileFigures = (figures: readonly Figure[], links: CompiledLinks): Document =>
  Object.fromEntries(figures.flatMap((figure, index) => Object.entries(compileFigure(figure, index, links))));

function compileFigure(figure: Figure, index: number, links: CompiledLinks): Document {
  const { source } = figure;
  const value = source.kind === 'link' ? (links.get(figure)?.value ?? null) : compileValue(source.path, source.type);
  const path = figurePath(index);
  switch (figure.function) {
    case 'countDistinct':
      return { [path]: { $addToSet: source.kind === 'scalar' ? compileShown(source.path, source.type) : value } };
    case 'sum': {
      const isWhole = source.kind === 'scalar' && scalarTypes[source.type].fitting === 'integer';
      const count = { $sum: { $cond: [{ $gt: [value, null] }, 1, 0] } };
      return { [path]: { $sum: isWhole ? { $toDecimal: value } : value }, [countOf(index)]: count };
    }
    case 'avg':
    case 'min':
    case 'max':
      return { [path]: { [`$${figure.function}`]: value } };
  }
}

/** Returns the stage that makes numbers of sets, and null of sums of no values. */
function completeFigures(figures: readonly Figure[]): readonly Document[] {
  const completed = figures.flatMap((figure, index): [string, Document][] => {
    const path = figurePath(index);
    if (figure.function === 'sum') return [[path, { $cond: [{ $gt: [`$${countOf(index)}`, 0] }, `$${path}`, null] }]];
    return figure.function === 'countDistinct' ? [[path, { $size: { $setDifference: [`$${path}`, [null]] } }]] : [];
  });
  return completed.length === 0 ? [] : [{ $set: Object.fromEntries(completed) }];
}

/** The field of a group with the attribute of the related entry of a key, in a list. */
export const fieldPath = (index: number): string => `field${String(index)}`;

function compileField(key: GroupKey, index: number): readonly Document[] {
  if (key.kind !== 'link' || key.field === null) return [];
  const { name } = key.field;
  const pipeline = [{ $project: { _id: 0, [name]: 1 } }];
  const as = fieldPath(index);
  const lookup = { from: key.target.collection, localField: `_id.${keyPath(index)}`, foreignField: '_id', pipeline, as };
  return [{ $lookup: lookup }, { $set: { [as]: { $ifNull: [{ $first: `$${as}.${name}` }, null] } } }];
}

/** Compiles the order of groups. Those that are equal in it are in the order of their keys. */
function compileSort({ keys, sort }: Aggregation): Document {
  const order = new Map<string, 1 | -1>();
  const add = (path: string, direction: 1 | -1): void => {
    if (!order.has(path)) order.set(path, direction);
  };
  for (const { by, order: direction } of sort) add(sortPath(by), direction);
  for (const index of keys.keys()) add(`_id.${keyPath(index)}`, 1);
  return Object.fromEntries(order);
}

function sortPath(by: GroupSort['by']): string {
  switch (by.kind) {
    case 'count':
      return countPath;
    case 'figure':
      return figurePath(by.index);
    case 'key':
      return `_id.${keyPath(by.index)}`;
    case 'field':
      return fieldPath(by.index);
  }
}
