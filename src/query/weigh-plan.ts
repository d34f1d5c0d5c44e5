import { foldCondition } from './conditions.js';
import { nestedIn } from './nested-in.js';
import type { Condition, NestedList, Plan, Selection, SortKey } from './plan.js';

/** Returns the approximate size of a plan in memory, in bytes, with the projections that are compiled from it. */
export const weighPlan = ({ condition, sort, selection }: Plan): number =>
  weighList({ condition, sort }) + weighSelection(selection);

/** Returns the approximate size of a selection in memory, in bytes. Parts that several branches share count once. */
export function weighSelection(selection: Selection): number {
  const known = new Set<Selection>();
  const open = [selection];
  let bytes = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (known.has(next)) continue;
    known.add(next);
    bytes += 300 + 30 * next.fields.length;
    for (const child of next.locales === null ? next.children : [...next.children, next.locales]) {
      const inner = nestedIn(child);
      bytes += 200 + weighAll(inner, ({ list }) => 60 + (list === null ? 0 : weighList(list)));
      if (child.kind === 'morph') bytes += weighAll(child.sources ?? [], weighSource);
      open.push(...inner.map(({ selection }) => selection));
    }
  }
  return bytes;
}

const weighList = ({ condition, sort }: Pick<NestedList, 'condition' | 'sort'>): number =>
  (condition === null ? 0 : weighCondition(condition)) + weighAll(sort, weighKey);

const weighSource = ({ condition }: { readonly condition: Condition | null }): number =>
  200 + (condition === null ? 0 : weighCondition(condition));

const weighKey = ({ links }: SortKey): number => 200 + 100 * links.length;

const weighCondition = (condition: Condition): number =>
  foldCondition<number>(condition, (one, parts) => {
    const own = one.kind === 'comparison' ? weighOperand(one.operand) : one.kind === 'search' ? 2 * one.text.length : 0;
    return parts.reduce((sum, part) => sum + part, own + ('path' in one && one.kind !== 'comparison' ? 200 : 60));
  });

function weighOperand(operand: unknown): number {
  if (Array.isArray(operand)) return weighAll(operand, weighOperand);
  return typeof operand === 'string' ? 30 + 2 * operand.length : 16;
}

const weighAll = <Item>(items: readonly Item[], weigh: (item: Item) => number): number =>
  items.reduce((sum, item) => sum + weigh(item), 0);
