import type { Filter } from './ast.js';
import { flip, type Polarity } from './bind-comparisons.js';
import { allOf, anyOf, complementOf, never } from './conditions.js';
import type { Condition } from './plan.js';

/** How conditions on the entries of a list, or on its elements, are bound. */
interface ListBinding {
  /** Binds a filter to an entry of the list. */
  readonly bind: (filter: Filter, polarity: Polarity) => Condition;
  /** Returns the condition that some entry meets another one, as it is without a quantifier. */
  readonly someOf: (condition: Condition) => Condition;
  /** Returns the condition that there is an entry that the caller may see and that meets another one. */
  readonly existsWith: (condition: Condition) => Condition;
}

type Quantified = Extract<Filter, { readonly kind: 'quantifier' }>;

/**
 * Binds a filter on a list. The conditions without a quantifier are about the same entry, those of each quantifier about entries of
 * their own.
 */
export function bindQuantified(filter: Filter, polarity: Polarity, list: ListBinding): Condition {
  if (!hasQuantifier(filter)) return list.someOf(list.bind(filter, polarity));
  if (filter.kind === 'quantifier') return bindQuantifier(filter, polarity, list);
  if (filter.kind === 'not') return bindQuantified(filter.filter, flip(polarity), list);
  if (!('filters' in filter)) return never; // no other filter has a quantifier
  const others = filter.filters.filter((one) => !hasQuantifier(one));
  const parts = filter.filters.filter(hasQuantifier);
  const all = others.length === 0 ? parts : [...parts, { kind: filter.kind, filters: others }];
  const bound = all.map((one) => bindQuantified(one, polarity, list));
  return (filter.kind === 'and') === (polarity === 'plain') ? allOf(bound) : anyOf(bound);
}

/** Returns whether a filter on a list has a quantifier for that list. */
function hasQuantifier(filter: Filter): boolean {
  if ('filters' in filter) return filter.filters.some(hasQuantifier);
  return filter.kind === 'not' ? hasQuantifier(filter.filter) : filter.kind === 'quantifier';
}

/** Returns whether each condition on a list has a quantifier. */
export function hasOnlyQuantifiers(filter: Filter): boolean {
  if ('filters' in filter) return filter.filters.every(hasOnlyQuantifiers);
  return filter.kind === 'not' ? hasOnlyQuantifiers(filter.filter) : filter.kind === 'quantifier';
}

function bindQuantifier({ quantifier, filter }: Quantified, polarity: Polarity, list: ListBinding): Condition {
  if (quantifier === 'some') return list.someOf(list.bind(filter, polarity));
  const met = list.bind(filter, 'plain');
  const found = list.existsWith(quantifier === 'none' ? met : complementOf(met));
  return polarity === 'plain' ? complementOf(found) : found;
}
