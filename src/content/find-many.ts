import { readPage, type LoadedPage } from '../mongo/read/read-page.js';
import type { Query } from '../query/ast.js';
import { bindPlan } from '../query/bind-plan.js';
import type { BoundPagination } from '../query/plan.js';
import type { ContentType } from '../schema/content-type.js';
import { surroundingReads, type ContentContext, type PendingRead, type SurroundedReads } from './content-context.js';

/** A page as it is answered: its entries, and the pagination that was in force. */
export interface FoundPage extends LoadedPage {
  readonly pagination: BoundPagination;
}

/**
 * Returns a page of a content type, with its total if it is wanted. Throws a ValidationError for names that the query may not
 * use.
 */
export async function findMany(type: ContentType, query: Query, context: ContentContext): Promise<FoundPage> {
  const { bind, store } = context;
  const plan = bindPlan(query, type, bind);
  const surrounded = surroundingReads(type, context);
  if (surrounded !== null) return findSurrounded({ query, plan, id: null }, context, surrounded);
  return { pagination: plan.pagination, ...(await readPage(plan, { registry: bind.registry, ...store })) };
}

async function findSurrounded(read: PendingRead, context: ContentContext, reads: SurroundedReads): Promise<FoundPage> {
  const { pagination, withTotal } = read.plan;
  const entries = await reads.many(read, context);
  return { pagination, entries, total: withTotal ? await reads.count(read, context) : null };
}

/** Returns the number of entries that meet a query, on all pages. Throws a ValidationError as `findMany` does. */
export async function countEntries(type: ContentType, query: Query, context: ContentContext): Promise<number> {
  const { bind, store } = context;
  const pagination = { kind: 'offset', start: 0, limit: 1, withCount: true } as const;
  const plan = bindPlan({ ...query, fields: ['id'], pagination, sort: [], withTotal: true }, type, bind);
  const surrounded = surroundingReads(type, context);
  const whole = { ...plan, window: { skip: 0, limit: null } }; // code sees no page
  if (surrounded !== null) return surrounded.count({ query, plan: whole, id: null }, context);
  return (await readPage(plan, { registry: bind.registry, ...store })).total ?? 0;
}
