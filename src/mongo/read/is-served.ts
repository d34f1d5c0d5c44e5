import type { Comparator } from '../../query/operators.js';
import type { Condition } from '../../query/plan.js';
import { memoizePair } from '../../caches.js';
import type { ContentType, Registry } from '../../schema/content-type.js';
import type { Database } from '../send/database.js';
import type { SearchIndexes } from '../send/index-state.js';
import type { Comparison } from './compile-condition.js';
import { type IndexPlan, planIndexes } from './plan-indexes.js';

/** The paths whose values indexes find entries by. */
export interface Leading {
  readonly leads: (path: string) => boolean;
  /** Returns whether an index finds entries by null at a path. Unique indexes do not contain null. */
  readonly leadsToNull: (path: string) => boolean;
}

/** The indexes that conditions are checked against. */
export interface Indexes extends Leading, Pick<SearchIndexes, 'serves' | 'find'> {}

/** Returns indexes with some first paths, and those for searches. */
export const withSearches = (leading: Leading, { searches }: Pick<Database, 'searches'>): Indexes => ({
  ...leading,
  serves: (comparison) => searches.serves(comparison),
  find: (search) => searches.find(search),
});

/** Returns all indexes that may exist, including those that an operator has made. */
export const anyIndex = (database: Pick<Database, 'searches'>): Indexes =>
  withSearches({ leads: () => true, leadsToNull: () => true }, database);

/** Returns whether indexes find the entries that meet a condition. */
export function isServed(condition: Condition, indexes: Indexes): boolean {
  switch (condition.kind) {
    case 'and':
      return condition.conditions.some((inner) => isServed(inner, indexes));
    case 'or':
      return condition.conditions.every((inner) => isServed(inner, indexes));
    case 'comparison':
      if (isNull(condition)) return indexes.leadsToNull(condition.path);
      return isIndexable(condition) ? indexes.leads(condition.path) : indexes.serves(condition);
    case 'search':
      return indexes.find(condition) !== null || isServed(condition.otherwise, indexes);
    case 'element': {
      // a condition with a place is resolved to ids
      const leads = (path: string): boolean => indexes.leads(`${condition.path}.${path}`);
      return condition.place !== null || isServed(condition.condition, { ...indexes, leads, leadsToNull: () => false });
    }
    case 'related':
      return true;
  }
}

/** Returns whether a comparison is with null in a form that an index can find. Null in JSON is compared by type. */
const isNull = ({ comparator, denied, stored }: Comparison): boolean => comparator === 'null' && !denied && stored !== 'json';

/** Returns whether an index on its path can find the values that meet a comparison. */
const isIndexable = ({ comparator, denied }: Comparison): boolean => !denied && indexable.has(comparator);

const indexable: ReadonlySet<Comparator> = new Set<Comparator>(['eq', 'in', 'lt', 'lte', 'gt', 'gte', 'between', 'startsWith']);

/** The parts of an index that decide what it finds. */
interface LeadingIndex {
  readonly key: Readonly<Record<string, unknown>>;
  readonly isPartial: boolean;
}

/** Returns the first path of an index, without locales, because a locale has a large part of a collection. */
export const firstPath = (key: LeadingIndex['key']): string => Object.keys(key).find((path) => path !== 'locale') ?? '';

/**
 * Returns the checks of paths against the first paths of indexes. A wildcard index, whose path ends with `$**`, has the value at the
 * path before it and all values below.
 */
export function leadingOf(indexes: readonly LeadingIndex[]): Leading {
  const all = new Set(indexes.map(({ key }) => firstPath(key)));
  const withNulls = new Set(indexes.filter(({ isPartial }) => !isPartial).map(({ key }) => firstPath(key)));
  const prefixes = [...all].filter((path) => path.endsWith('$**')).map((path) => path.slice(0, -3));
  return {
    leads: (path) => all.has(path) || prefixes.some((prefix) => `${path}.`.startsWith(prefix)),
    leadsToNull: (path) => withNulls.has(path),
  };
}

/** The index of ids, which every collection has. */
export const idIndex: IndexPlan = { name: '_id_', key: { _id: 1 }, options: {} };

/** Returns the indexes that a type has by its model, built or not, except for full-text indexes. */
export const modelIndexes = memoizePair((type: ContentType, registry: Registry): readonly IndexPlan[] => [
  idIndex,
  ...planIndexes(type, registry).filter(({ key }) => !Object.values(key).includes('text')),
]);

/** Returns whether an index leaves out some entries. */
export const isPartial = ({ options }: IndexPlan): boolean => options.partialFilterExpression !== undefined;

/** Returns the checks of paths against the indexes of a model. */
export const modelLeading = memoizePair((type: ContentType, registry: Registry): Leading =>
  leadingOf(modelIndexes(type, registry).map((index) => ({ key: index.key, isPartial: isPartial(index) }))),
);
