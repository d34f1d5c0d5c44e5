import type { Comparator } from '../../query/operators.js';
import type { Condition } from '../../query/plan.js';
import { memoizePair } from '../../caches.js';
import type { ContentType, Registry } from '../../schema/content-type.js';
import type { Database } from '../database.js';
import type { SearchIndexes } from '../index-state.js';
import type { Comparison } from './compile-condition.js';
import { planIndexes } from './plan-indexes.js';

/** The indexes that conditions are checked against. */
export interface Indexes {
  /** Returns whether an index finds entries by the values at a path. */
  readonly leads: (path: string) => boolean;
  /** Returns whether an index finds entries by parts of a text. */
  readonly serves: SearchIndexes['serves'];
  /** Returns a match for words; null if there is no full-text index. */
  readonly find: SearchIndexes['find'];
}

/** Returns all indexes that may exist, including those that an operator has made. */
export const anyIndex = ({ searches }: Pick<Database, 'searches'>): Indexes => ({
  leads: () => true,
  serves: (comparison) => searches.serves(comparison),
  find: (search) => searches.find(search),
});

/** Returns whether indexes find the entries that meet a condition. */
export function isServed(condition: Condition, indexes: Indexes): boolean {
  switch (condition.kind) {
    case 'and':
      return condition.conditions.some((inner) => isServed(inner, indexes));
    case 'or':
      return condition.conditions.every((inner) => isServed(inner, indexes));
    case 'comparison':
      return isIndexable(condition) ? indexes.leads(condition.path) : indexes.serves(condition);
    case 'search':
      return indexes.find(condition) !== null || isServed(condition.otherwise, indexes);
    case 'element': {
      // a condition with a place is resolved to ids
      const leads = (path: string): boolean => indexes.leads(`${condition.path}.${path}`);
      return condition.place !== null || isServed(condition.condition, { ...indexes, leads });
    }
    case 'related':
      return true;
  }
}

/** Returns whether an index on its path can find the values that meet a comparison. */
const isIndexable = ({ comparator, denied }: Comparison): boolean => !denied && indexable.has(comparator);

const indexable: ReadonlySet<Comparator> = new Set<Comparator>(['eq', 'in', 'lt', 'lte', 'gt', 'gte', 'between', 'startsWith']);

/**
 * Returns the paths by whose values an index of the service finds entries. Locales are left out, because a locale has a large
 * part of a collection.
 */
export const leadingFields = memoizePair((type: ContentType, registry: Registry): ReadonlySet<string> => {
  const first = planIndexes(type, registry).flatMap(({ key }) => Object.entries(key).slice(0, 1));
  return new Set(['_id', ...first.flatMap(([field, order]) => (field === 'locale' || order === 'text' ? [] : [field]))]);
});
