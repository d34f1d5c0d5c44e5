import type { Comparator } from '../../query/operators.js';
import type { Condition } from '../../query/plan.js';
import { memoizePair } from '../../caches.js';
import type { ContentType, Registry } from '../../schema/content-type.js';
import type { Database } from '../send/database.js';
import type { SearchIndexes } from '../send/index-state.js';
import type { Comparison } from './compile-condition.js';
import { planIndexes } from './plan-indexes.js';

/** The indexes that conditions are checked against. */
export interface Indexes {
  /** Returns whether an index finds entries by the values at a path. */
  readonly leads: (path: string) => boolean;
  /** Returns whether an index finds entries by null at a path. Unique indexes do not contain null. */
  readonly leadsToNull: (path: string) => boolean;
  /** Returns whether an index finds entries by parts of a text. */
  readonly serves: SearchIndexes['serves'];
  /** Returns a match for words; null if there is no full-text index. */
  readonly find: SearchIndexes['find'];
}

/** Returns all indexes that may exist, including those that an operator has made. */
export const anyIndex = ({ searches }: Pick<Database, 'searches'>): Indexes => ({
  leads: () => true,
  leadsToNull: () => true,
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

/** The first paths of indexes: of all, and of those that contain null. */
export interface LeadingFields {
  readonly all: ReadonlySet<string>;
  readonly withNulls: ReadonlySet<string>;
}

/** The parts of an index that decide what it finds. */
interface LeadingIndex {
  readonly key: Readonly<Record<string, unknown>>;
  readonly isPartial: boolean;
}

/** Returns the first paths of indexes. Locales are left out, because a locale has a large part of a collection. */
export function leadingOf(indexes: readonly LeadingIndex[]): LeadingFields {
  const first = ({ key }: LeadingIndex): readonly string[] =>
    Object.keys(key)
      .filter((path) => path !== 'locale')
      .slice(0, 1);
  return {
    all: new Set(indexes.flatMap(first)),
    withNulls: new Set(indexes.filter(({ isPartial }) => !isPartial).flatMap(first)),
  };
}

/** Returns the checks of paths against the first paths of indexes. */
export function leadsBy({ all, withNulls }: LeadingFields): Pick<Indexes, 'leads' | 'leadsToNull'> {
  const prefixes = [...all].filter((path) => path.endsWith(wildcard)).map((path) => path.slice(0, -wildcard.length));
  return {
    leads: (path) => all.has(path) || prefixes.some((prefix) => `${path}.`.startsWith(prefix)),
    leadsToNull: (path) => withNulls.has(path),
  };
}

/** The end of the path of a wildcard index, which contains the value at the path before it and all values below. */
const wildcard = '$**';

/** Returns the first paths of the indexes of a type. */
export const leadingFields = memoizePair((type: ContentType, registry: Registry): LeadingFields => {
  const planned = planIndexes(type, registry).filter(({ key }) => !Object.values(key).includes('text'));
  const indexes = planned.map(({ key, options }) => ({ key, isPartial: options.partialFilterExpression !== undefined }));
  return leadingOf([{ key: { _id: 1 }, isPartial: false }, ...indexes]);
});
