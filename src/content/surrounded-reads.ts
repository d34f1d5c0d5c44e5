import type { LoadedEntry } from '#store/form/loaded.js';
import { readEntry } from '#store/read/read-entry.js';
import { allOf } from '#model/query/conditions.js';
import type { Condition, Plan, Selection } from '#model/query/plan.js';
import type { ContentType } from '#model/schema/content-type.js';
import type { ContentContext, PendingRead, SurroundedReads } from './content-context.js';
import { contextForRead } from './drafts.js';

/** Returns the code around reads of a type; null if there is none. The answer then depends on that code. */
export function surroundingReads(type: ContentType, { hooks, store }: ContentContext): SurroundedReads | null {
  if (hooks === null) return null;
  const surrounding = hooks.reads(type.uid);
  store.database.reads?.noteType(type.uid, surrounding !== null);
  return surrounding;
}

/** Reads an entry by the code around reads of its type, if there is any. */
export async function readWithHooks(read: PendingRead, callerContext: ContentContext): Promise<LoadedEntry | null> {
  const context = await contextForRead(read.query, read.plan, callerContext);
  const { type, condition, selection } = read.plan;
  const surrounded = surroundingReads(type, context);
  if (surrounded !== null) return surrounded.one(read, context);
  return readEntry(condition ?? allOf([]), selection, context.store.database);
}

/** Returns the plan of a read of one entry. */
export const planOf = (condition: Condition, selection: Selection): Plan => ({
  type: selection.type,
  condition,
  scope: null,
  isWhole: false,
  sort: [],
  pagination: { kind: 'offset', start: 0, limit: 1 },
  window: { skip: 0, limit: 1 },
  withTotal: false,
  selection,
});
