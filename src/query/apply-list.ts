import type { ComponentList, SortKey } from './plan.js';
import type { Values } from '../schema/check-input.js';
import { compareStored, meetsCondition } from './meets-condition.js';

/** Filters, sorts and cuts the components of one entry, which came with it. */
export function applyList(components: readonly Values[], { condition, sort, window }: ComponentList): readonly Values[] {
  const met = condition === null ? components : components.filter((component) => meetsCondition(condition, component));
  const sorted = sort.length === 0 ? met : sortComponents(met, sort);
  if (window === null) return sorted;
  return sorted.slice(window.skip, window.limit === null ? undefined : window.skip + window.limit);
}

function sortComponents(components: readonly Values[], sort: readonly SortKey[]): readonly Values[] {
  const keyed = components.map((component) => ({ component, values: sort.map((key) => sortValue(component, key)) }));
  keyed.sort((left, right) => {
    for (const [index, { order }] of sort.entries()) {
      const difference = compareOrNull(left.values[index], right.values[index]);
      if (difference !== 0) return difference * order;
    }
    return 0;
  });
  return keyed.map(({ component }) => component);
}

/** The value that a component is sorted by: of several the least, in descending order the greatest. */
function sortValue(component: Values, { path, order }: SortKey): unknown {
  const [first = null, ...others] = valuesAt(component, path.split('.'));
  return others.reduce((best, value) => (compareOrNull(value, best) * order < 0 ? value : best), first);
}

function valuesAt(at: unknown, [name, ...rest]: readonly string[]): unknown[] {
  if (Array.isArray(at)) return at.flatMap((item) => valuesAt(item, name === undefined ? [] : [name, ...rest]));
  if (name === undefined) return [at ?? null];
  return valuesAt(typeof at === 'object' && at !== null ? (at as Values)[name] : null, rest);
}

/** Nothing comes first, as in the database. */
function compareOrNull(left: unknown, right: unknown): number {
  const [leftNone, rightNone] = [left ?? null, right ?? null].map((value) => value === null);
  if (leftNone === true || rightNone === true) return Number(rightNone) - Number(leftNone);
  return compareStored(left, right) || 0;
}
