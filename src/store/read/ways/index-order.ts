import type { Document } from 'mongodb';
import { memoizePair } from '#base/caches.js';
import type { Plan } from '#model/query/plan.js';
import type { ContentType, Registry } from '#model/schema/content-type.js';
import type { RelatedCondition } from '../compile-condition.js';
import { compileSort } from '../compile-page.js';
import { firstPath, idIndex, isPartial, modelIndexes } from '../is-served.js';
import type { IndexPlan } from '../plan-indexes.js';

/**
 * Factor by which an estimate must be better than another one. Estimates may be wrong, and an entry takes 1.3 to 5 times as long by
 * an index as in natural order.
 */
export const margin = 2;

/** Returns the indexes of a type that contain all of its entries. */
export const wholeIndexes = memoizePair((type: ContentType, registry: Registry): readonly IndexPlan[] =>
  modelIndexes(type, registry).filter(({ options }) => !isPartial(options)),
);

/** Returns the index of a model that has all entries of a type in the order of a plan; null if there is none. */
export function indexOfSort({ type, sort }: Plan, registry: Registry): IndexPlan | null {
  const order = compileSort(sort);
  return wholeIndexes(type, registry).find((index) => hasOrder(index, order)) ?? null;
}

/** Returns whether the index that finds the entries of a link has the order of a plan: that of the link, after it, or that of ids. */
export function isLinkInOrder({ type, sort }: Plan, { link, path }: RelatedCondition, registry: Registry): boolean {
  const order = compileSort(sort);
  if (link.storage.kind !== 'own') return hasOrder(idIndex, order);
  return wholeIndexes(type, registry).some((index) => firstPath(index.key, type) === path && hasOrder(index, order, 1));
}

/** Returns whether the keys of an index, after some of them, have an order, forwards or backwards. */
export function hasOrder({ key }: IndexPlan, order: Document, after = 0): boolean {
  const keys = Object.entries(key).slice(after);
  const [first = 0, ...others] = Object.entries(order).map(([path, to], at) =>
    keys[at]?.[0] === path ? Number(to) * Number(keys[at][1]) : 0,
  );
  return first !== 0 && others.every((one) => one === first);
}

/** Returns the approximate number of entries that are examined in the order of the sort until a page is full. */
export const entriesInOrder = ({ window: { skip, limit } }: Plan, all: number, matching: number): number =>
  Math.min(((skip + (limit ?? Infinity)) * all) / matching, all);
