import { createShaper, type Presentation, type Shaped } from '#content/shape-values.js';
import type { Budget } from '#base/limits/budget.js';
import type { Loaded } from '#store/form/loaded.js';

/** Entries as clients keep them, related entries by id. As in lists, no files are null. */
const held: Presentation<Shaped> = {
  start: ({ document }) => ({ id: document['_id'] }),
  entry: (_entry, values) => values,
  one: (entry) => entry,
  many: (entries, { kind }) => (entries.length === 0 && kind === 'media' ? null : entries),
  count: (count) => count,
  targets: (targets, { many }) => (many ? targets : (targets[0] ?? null)),
  isAnswer: true,
};

/** An entry that a client keeps. */
export interface HeldEntry {
  readonly id: number;
  readonly attributes: Shaped;
}

/** Returns entries as clients keep them. Throws a ValidationError if they exceed the budget. */
export function presentEntries(entries: readonly Loaded[], budget: Budget): HeldEntry[] {
  const shape = createShaper(held, budget);
  return entries.map((entry) => {
    const { id, ...attributes } = shape(entry);
    return { id: Number(id), attributes };
  });
}
