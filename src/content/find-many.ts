import { readPage, type LoadedPage } from '../mongo/read/read-page.js';
import type { Query } from '../query/ast.js';
import { bindPlan } from '../query/bind-plan.js';
import type { BoundPagination } from '../query/plan.js';
import type { ContentType } from '../schema/content-type.js';
import type { ContentContext } from './content-context.js';

/** A page as it is answered: its entries, and the pagination that was in force. */
export interface FoundPage extends LoadedPage {
  readonly pagination: BoundPagination;
}

/**
 * Returns a page of a content type, with its total if it is wanted. Throws a ValidationError for names that the query may not
 * use.
 */
export async function findMany(type: ContentType, query: Query, { bind, store }: ContentContext): Promise<FoundPage> {
  const plan = bindPlan(query, type, bind);
  return { pagination: plan.pagination, ...(await readPage(plan, { registry: bind.registry, ...store })) };
}
