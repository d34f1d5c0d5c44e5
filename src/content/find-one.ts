import { readEntry } from '../mongo/read/read-entry.js';
import type { Query } from '../query/ast.js';
import { bindRule } from '../query/bind-filter.js';
import { bindEntrySelection, bindLocale, bindPlan } from '../query/bind-plan.js';
import { allOf } from '../query/conditions.js';
import type { Condition } from '../query/plan.js';
import type { ContentType } from '../schema/content-type.js';
import type { ContentContext } from './content-context.js';
import type { Loaded } from '../mongo/loaded.js';

/** Returns the entry of an id, drafts included; null if there is none. */
export async function findOne(type: ContentType, id: number, query: Query, context: ContentContext): Promise<Loaded | null> {
  const selection = bindEntrySelection(query, type, context.bind);
  return readEntry(allOf([hasId(id), ...bindRule(type, context.bind)]), selection, context.store.database);
}

/** Returns the entry of a single type: of the default locale and published, unless the query says otherwise. */
export async function findSingle(type: ContentType, query: Query, context: ContentContext): Promise<Loaded | null> {
  const { condition, selection } = bindPlan(query, type, context.bind);
  return readEntry(condition ?? allOf([]), selection, context.store.database);
}

/** Returns the entry of a single type for a write. Only the locale counts, not the publication state or further conditions. */
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
