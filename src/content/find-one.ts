import { readEntry } from '../mongo/read/read-entry.js';
import type { Query } from '../query/ast.js';
import { bindRule } from '../query/bind-filter.js';
import { bindEntrySelection, bindLocale, bindPlan } from '../query/bind-plan.js';
import { allOf } from '../query/conditions.js';
import type { Condition } from '../query/plan.js';
import type { ContentType } from '../schema/content-type.js';
import type { ContentContext } from './content-context.js';
import type { Loaded } from '../mongo/loaded.js';

/** The entry of that id, drafts included; null if there is none. */
export async function findOne(type: ContentType, id: number, query: Query, context: ContentContext): Promise<Loaded | null> {
  const selection = bindEntrySelection(query, type, context.bind);
  return readEntry(allOf([hasId(id), ...bindRule(type, context.bind)]), selection, context.store.database);
}

/** The entry of a single type: of the default locale unless the query names one, published unless it says otherwise. */
export async function findSingle(type: ContentType, query: Query, context: ContentContext): Promise<Loaded | null> {
  const { condition, selection } = bindPlan(query, type, context.bind);
  return readEntry(condition ?? allOf([]), selection, context.store.database);
}

/** The entry of a single type for a write: state and further conditions do not count, only the locale does. */
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
