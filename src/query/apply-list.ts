import type { ComponentChild, SortKey } from './plan.js';
import type { Values } from '../schema/check-input.js';
import { meetsCondition, valueAt } from './meets-condition.js';

type List = NonNullable<ComponentChild['list']>;

/** Filters, sorts and cuts the components of one entry, which came with it. */
export function applyList(components: readonly Values[], { condition, sort, window }: List): readonly Values[] {
  const met = condition === null ? components : components.filter((component) => meetsCondition(condition, component));
  const sorted = sort.length === 0 ? met : met.toSorted((left, right) => compareBy(sort, left, right));
  if (window === null) return sorted;
  return sorted.slice(window.skip, window.limit === null ? undefined : window.skip + window.limit);
}

function compareBy(sort: readonly SortKey[], left: Values, right: Values): number {
  for (const { path, order } of sort) {
    const difference = compareValues(valueAt(left, path), valueAt(right, path));
    if (difference !== 0) return difference * order;
  }
  return 0;
}

/** Nothing comes first, as in the database. */
function compareValues(left: unknown, right: unknown): number {
  const [leftNone, rightNone] = [left ?? null, right ?? null].map((value) => value === null);
  if (leftNone === true || rightNone === true) return Number(rightNone) - Number(leftNone);
  const [a, b] = [left as number | string, right as number | string]; // values of one attribute compare among themselves
  return a < b ? -1 : Number(a > b);
}
