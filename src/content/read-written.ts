import type { Loaded, StoredDocument } from '../mongo/loaded.js';
import { readTreeOf } from '../mongo/read/read-tree.js';
import { unlimited } from '../query/budget.js';
import type { Selection } from '../query/plan.js';
import type { ContentContext } from './content-context.js';

/**
 * Reads what an entry that was written is answered with. If that costs too much, nothing of what it populates is read: the write is
 * stored, and an error would say that it is not. In a transaction the error ends it.
 */
export async function readWritten(document: StoredDocument, selection: Selection, context: ContentContext): Promise<Loaded> {
  try {
    return await readTreeOf(selection, document, context.store.database);
  } catch (error) {
    if (!costsTooMuchLate(error, context)) throw error;
    return withoutPopulated({ document, selection, children: [] });
  }
}

/** Calls `show` with an entry; once more without what it populates if that costs too much and something was stored already. */
export function showStored<Shown>(
  entry: Loaded,
  context: ContentContext,
  show: (entry: Loaded, context: ContentContext) => Shown,
): Shown {
  try {
    return show(entry, context);
  } catch (error) {
    if (!costsTooMuchLate(error, context)) throw error;
    return show(withoutPopulated(entry), withoutBudget(context));
  }
}

/** Whether an error refuses a request for what it costs when something that it wrote is stored. */
export const costsTooMuchLate = (error: unknown, { bind: { budget }, store }: ContentContext): boolean =>
  budget.hasChanged && error === budget.exceeded && store.database.session === null;

/** The context without a budget, for the little that is answered when the budget is spent. */
export const withoutBudget = (context: ContentContext): ContentContext => ({
  ...context,
  bind: { ...context.bind, budget: unlimited },
  store: { ...context.store, database: { ...context.store.database, budget: unlimited } },
});

const withoutPopulated = ({ document, selection }: Loaded): Loaded => ({
  document,
  selection: { ...selection, children: [], locales: null },
  children: [],
});
