import type { Document } from 'mongodb';
import { meetsCondition } from '#model/query/meets-condition.js';
import { type LinkChild, type NestedList, type SortKey, type Window } from '#model/query/plan.js';
import { compareStored } from '#model/schema/stored-values.js';
import { collationOf } from './compile-page.js';
import type { Values } from '#base/values.js';
import { linkedIds } from '../form/layout.js';

/**
 * Returns the stored ids of an owning relation whose entries must be read: those in its window if the window can be cut before,
 * otherwise all.
 */
export function wantedIds(child: LinkChild, holder: Document): readonly unknown[] {
  const ids = linkedIds(holder, child.link.name);
  return cutsIds(child) ? cutWindow(ids, child.window) : ids;
}

/** Returns whether the window of an owning relation can be cut from the stored ids, before the entries are read. */
export const cutsIds = ({ window, condition, sort, reversed }: LinkChild): boolean =>
  window !== null && condition === null && sort.length === 0 && !reversed;

/** Returns the items of one entry, filtered and sorted by their stored values, and cut to the window. */
export function applyList<Item>(
  items: readonly Item[],
  { condition, sort, window }: Omit<NestedList, 'selection'>,
  valuesOf: (item: Item) => Values,
): readonly Item[] {
  const met = condition === null ? items : items.filter((item) => meetsCondition(condition, valuesOf(item)));
  return cutWindow(sort.length === 0 ? met : sortItems(met, sort, valuesOf), window);
}

/** Returns the items inside a window; all of them if it is null. */
export const cutWindow = <Item>(items: readonly Item[], window: Window | null): readonly Item[] =>
  window === null ? items : items.slice(window.skip, window.limit === null ? undefined : window.skip + window.limit);

/** Returns the items of one type that are shown. */
export type Choose<Item> = (items: readonly Item[]) => readonly Item[];

/** Returns the items that the choice of their type keeps, in their order. Items of types without a choice are all kept. */
export function chosenItems<Item>(
  items: readonly Item[],
  choices: ReadonlyMap<string, Choose<Item>>,
  uidOf: (item: Item) => string,
): readonly Item[] {
  if (choices.size === 0) return items;
  const chosen = new Set(items.filter((item) => !choices.has(uidOf(item))));
  for (const [uid, choose] of choices) for (const item of choose(items.filter((one) => uidOf(one) === uid))) chosen.add(item);
  return items.filter((item) => chosen.has(item));
}

function sortItems<Item>(items: readonly Item[], sort: readonly SortKey[], valuesOf: (item: Item) => Values): readonly Item[] {
  const collation = collationOf(sort);
  const keyed = items.map((item) => ({ item, values: sort.map((key) => sortValue(valuesOf(item), key, collation)) }));
  keyed.sort((left, right) => {
    for (const [index, { order }] of sort.entries()) {
      const difference = compareOrNull(left.values[index], right.values[index], collation);
      if (difference !== 0) return difference * order;
    }
    return 0;
  });
  return keyed.map(({ item }) => item);
}

/** Returns the value that a component is sorted by. If it has several, this is the least, in descending order the greatest. */
function sortValue(component: Values, { path, order }: SortKey, collation: string | null): unknown {
  const [first = null, ...others] = valuesAt(component, path.split('.'));
  return others.reduce((best, value) => (compareOrNull(value, best, collation) * order < 0 ? value : best), first);
}

function valuesAt(at: unknown, [name, ...rest]: readonly string[]): unknown[] {
  if (Array.isArray(at)) return at.flatMap((item) => valuesAt(item, name === undefined ? [] : [name, ...rest]));
  if (name === undefined) return [at ?? null];
  return valuesAt(typeof at === 'object' && at !== null ? (at as Values)[name] : null, rest);
}

/** Compares two values. Null comes first, as in the database. A collation compares texts. */
function compareOrNull(left: unknown, right: unknown, collation: string | null): number {
  const [leftNone, rightNone] = [left ?? null, right ?? null].map((value) => value === null);
  if (leftNone === true || rightNone === true) return Number(rightNone) - Number(leftNone);
  return compareStored(left, right, collation) || 0;
}
