import type { Child, NestedList, Selection } from './plan.js';

/** A selection below another one, and which of its entries or components are shown; null if all are. */
interface Nested {
  readonly selection: Selection;
  readonly list: NestedList | null;
}

/** Returns the selections directly below a child. */
export function nestedIn(child: Child): readonly Nested[] {
  switch (child.kind) {
    case 'link':
      return [{ selection: child.selection, list: child }];
    case 'component':
      return [child];
    case 'zone':
      return [...child.selections].map(([uid, selection]) => ({ selection, list: child.lists.get(uid) ?? null }));
    case 'morph':
      return [...child.targets.values()].map((target) => ({ selection: target.selection, list: target }));
  }
}
