import type { Document } from 'mongodb';
import { compareStored, meetsCondition } from '../../query/meets-condition.js';
import type { LinkChild, NestedList, SortKey, Window } from '../../query/plan.js';
import type { Values } from '../../values.js';

/** A stored polymorphic link. */
interface MorphLink {
  readonly __type: string;
  readonly id: number;
  /** The place of the owner of the link in the list of its target. */
  readonly rank?: number;
}

/** The ids of an owning relation: a to-one relation stores one value, a to-many an array. */
export const linkedIds = (holder: Document, name: string): readonly unknown[] => listOf(holder[name]);

export const morphLinks = (value: unknown): readonly MorphLink[] => listOf(value) as readonly MorphLink[]; // written in this form

/** Stored components: one, several, or none. */
export const partsOf = (value: unknown): readonly Document[] => listOf(value) as readonly Document[]; // stored as documents

const none: readonly unknown[] = [];

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return value === null || value === undefined ? none : [value];
}

/** The stored ids of an owning relation that have to be read: those in its window if the ids alone decide it, else all. */
export function wantedIds(child: LinkChild, holder: Document): readonly unknown[] {
  const ids = linkedIds(holder, child.link.name);
  return cutsIds(child) ? cutWindow(ids, child.window) : ids;
}

/** Whether the window of an owning relation can be cut from the stored ids, before anything is read. */
const cutsIds = ({ window, condition, sort, reversed }: LinkChild): boolean =>
  window !== null && condition === null && sort.length === 0 && !reversed;

/** Returns the items of the window after reading, unless the window was cut from the ids before. */
export const cutRead = <Item>(child: LinkChild, items: readonly Item[]): readonly Item[] =>
  cutsIds(child) ? items : cutWindow(items, child.window);

/** Filters, sorts and cuts items of one entry by their stored values. */
export function applyList<Item>(
  items: readonly Item[],
  { condition, sort, window }: NestedList,
  valuesOf: (item: Item) => Values,
): readonly Item[] {
  const met = condition === null ? items : items.filter((item) => meetsCondition(condition, valuesOf(item)));
  return cutWindow(sort.length === 0 ? met : sortItems(met, sort, valuesOf), window);
}

/** The items inside a window; null: all of them. */
export const cutWindow = <Item>(items: readonly Item[], window: Window | null): readonly Item[] =>
  window === null ? items : items.slice(window.skip, window.limit === null ? undefined : window.skip + window.limit);

/** Chooses among the items of one type those that are shown. */
export type Choose<Item> = (items: readonly Item[]) => readonly Item[];

/** Leaves out the components that the choice of their type does not return. The others keep their order; types without a choice remain whole. */
export function keepChosen<Item>(
  items: readonly Item[],
  choices: ReadonlyMap<string, Choose<Item>>,
  uidOf: (item: Item) => string,
): readonly Item[] {
  if (choices.size === 0) return items;
  const kept = new Set(items.filter((item) => !choices.has(uidOf(item))));
  for (const [uid, choose] of choices) for (const item of choose(items.filter((one) => uidOf(one) === uid))) kept.add(item);
  return items.filter((item) => kept.has(item));
}

function sortItems<Item>(items: readonly Item[], sort: readonly SortKey[], valuesOf: (item: Item) => Values): readonly Item[] {
  const keyed = items.map((item) => ({ item, values: sort.map((key) => sortValue(valuesOf(item), key)) }));
  keyed.sort((left, right) => {
    for (const [index, { order }] of sort.entries()) {
      const difference = compareOrNull(left.values[index], right.values[index]);
      if (difference !== 0) return difference * order;
    }
    return 0;
  });
  return keyed.map(({ item }) => item);
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
