import { readEntry } from '../mongo/read/read-entry.js';
import type { Query } from '../query/ast.js';
import { bindRule } from '../query/bind-filter.js';
import { bindEntrySelection, bindLocale, bindPlan } from '../query/bind-plan.js';
import { allOf } from '../query/conditions.js';
import type { Condition, Plan, Selection } from '../query/plan.js';
import type { ContentType } from '../schema/content-type.js';
import { surroundingReads, type ContentContext } from './content-context.js';
import type { Loaded } from '../mongo/form/loaded.js';

/** Returns the entry with an id, even if it is a draft; null if there is none. */
export async function findOne(type: ContentType, id: number, query: Query, context: ContentContext): Promise<Loaded | null> {
  const { bind, store } = context;
  const selection = bindEntrySelection(query, type, bind);
  const condition = allOf([hasId(id), ...bindRule(type, bind)]);
  const surrounded = surroundingReads(type, context);
  if (surrounded !== null) return surrounded.one({ query, plan: planOf(condition, selection), id }, context);
  return readEntry(condition, selection, store.database);
}

/** Returns the plan of a read of one entry, for code around it. */
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

/** Returns the entry of a single type: of the default locale and published, unless the query says otherwise. */
export async function findSingle(type: ContentType, query: Query, context: ContentContext): Promise<Loaded | null> {
  const plan = bindPlan(query, type, context.bind);
  const surrounded = surroundingReads(type, context);
  if (surrounded !== null) return surrounded.one({ query, plan, id: null }, context);
  return readEntry(plan.condition ?? allOf([]), plan.selection, context.store.database);
}

/**
 * Returns the entry of a single type for a write. Of the query only the locale is applied, not the publication state or other
 * conditions.
 */
export async function findSingleForWrite(type: ContentType, query: Query, context: ContentContext): Promise<Loaded | null> {
  const locale = bindLocale(query.locale, type, context.bind);
  return readEntry(allOf(locale), { type, fields: [], children: [], locales: null }, context.store.database);
}

export const hasId = (id: number): Condition => ({
  kind: 'comparison',
  path: '_id',
  stored: 'number',
  comparator: 'eq',
  operand: id,
  denied: false,
});
