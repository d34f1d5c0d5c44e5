import type { IndexDescriptionInfo } from 'mongodb';
import { type Comparison, comparesText } from '#model/query/conditions.js';
import { type Operator, operators } from '#model/query/operators.js';
import type { Condition } from '#model/query/plan.js';
import { memoizePair } from '#base/caches.js';
import type { ContentType, Registry } from '#model/schema/content-type.js';
import type { SearchIndexes } from '../send/index-state.js';
import { indexedPath } from './compile-json.js';
import { type IndexPlan, planIndexes } from './plan-indexes.js';

/** The paths whose values indexes find entries by. */
export interface Leading {
  readonly leads: (path: string) => boolean;
  /** Returns whether an index finds entries by null at a path. Unique indexes do not contain null. */
  readonly leadsToNull: (path: string) => boolean;
}

/** The indexes that conditions are checked against. */
export interface Indexes extends Leading {
  readonly searches: Pick<SearchIndexes, 'serves' | 'find'>;
}

/** The first paths of all indexes that may exist, including those that an operator has made. */
export const anyLeading: Leading = { leads: () => true, leadsToNull: () => true };

/** Returns the indexes for the values inside the elements of a list. */
export const indexesInside = (indexes: Indexes, list: string): Indexes => ({
  leads: (path) => indexes.leads(`${list}.${path}`),
  leadsToNull: () => false,
  searches: indexes.searches,
});

/** Returns whether indexes find the entries that meet a condition. */
export function isServed(condition: Condition, indexes: Indexes): boolean {
  switch (condition.kind) {
    case 'and':
      return condition.conditions.some((inner) => isServed(inner, indexes));
    case 'or':
      return condition.conditions.every((inner) => isServed(inner, indexes));
    case 'not':
      return false; // most entries meet a complement
    case 'comparison':
      if (condition.keys !== undefined) return isServedInJson(condition, indexes);
      if (!isIndexable(condition)) return indexes.searches.serves(condition);
      if (condition.comparator !== 'null') return indexes.leads(condition.path);
      return condition.stored !== 'json' && indexes.leadsToNull(condition.path); // null in JSON is compared by type
    case 'search':
      return indexes.searches.find(condition) !== null || isServed(condition.otherwise, indexes);
    case 'element':
      // a condition with a place is resolved to ids
      return condition.place !== null || isServed(condition.condition, indexesInside(indexes, condition.path));
    case 'related':
      return true;
    case 'fallback':
      return false;
  }
}

/** Returns whether indexes find the values inside of JSON that meet a comparison. An index leaves out entries without a value. */
function isServedInJson(comparison: Comparison, indexes: Indexes): boolean {
  const path = indexedPath(comparison);
  return path !== null && comparison.comparator !== 'null' && isIndexable(comparison) && indexes.leads(path);
}

/** Returns whether an index on its path can find the values that meet a comparison. */
export const isIndexable = ({ comparator, denied }: Comparison): boolean =>
  !denied && (!comparesText(comparator) || isCaseSensitivePrefix(operators[comparator]));

const isCaseSensitivePrefix = ({ text, prefix }: (typeof operators)[Operator]): boolean =>
  text === 'sensitive' && prefix === true;

/** The parts of an index that decide what it finds. */
type LeadingIndex = Pick<IndexDescriptionInfo, 'key' | 'partialFilterExpression' | 'sparse'>;

/** Returns the first path of an index, without locales of entries, because a locale has a large part of a collection. */
export const firstPath = (key: object, { localized }: Pick<ContentType, 'localized'>): string =>
  Object.keys(key).find((path) => !localized || path !== 'locale') ?? '';

/** Returns whether an index leaves out some entries. */
export const isPartial = ({ partialFilterExpression, sparse }: Omit<LeadingIndex, 'key'>): boolean =>
  partialFilterExpression !== undefined || sparse === true;

/**
 * Returns the checks of paths against the first paths of indexes. A wildcard index, whose path ends with `$**`, has the value at the
 * path before it and all values below.
 */
export function leadingOf(indexes: readonly LeadingIndex[], type: Pick<ContentType, 'localized'>): Leading {
  const all = new Set(indexes.map(({ key }) => firstPath(key, type)));
  const withNulls = new Set(indexes.filter((index) => !isPartial(index)).map(({ key }) => firstPath(key, type)));
  const prefixes = [...all].filter((path) => path.endsWith('$**')).map((path) => path.slice(0, -3));
  return {
    leads: (path) => all.has(path) || prefixes.some((prefix) => `${path}.`.startsWith(prefix)),
    leadsToNull: (path) => withNulls.has(path),
  };
}

/** The index of ids, which every collection has. */
export const idIndex: IndexPlan = { name: '_id_', key: { _id: 1 }, options: {} };

/** Returns the indexes that a type has by its model, built or not, except for full-text indexes, and those with a collation. */
export const modelIndexes = memoizePair((type: ContentType, registry: Registry): readonly IndexPlan[] => [
  idIndex,
  ...planIndexes(type, registry).filter(
    ({ key, options }) => !Object.values(key).includes('text') && options.collation === undefined,
  ),
]);

/** Returns the checks of paths against the indexes of a model. */
export const modelLeading = memoizePair((type: ContentType, registry: Registry): Leading =>
  leadingOf(
    modelIndexes(type, registry).map(({ key, options }) => ({ key, ...options })),
    type,
  ),
);
