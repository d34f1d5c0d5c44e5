import { readPage } from '../mongo/read-page.js';
import type { Query } from '../query/ast.js';
import { bindPlan } from '../query/bind-plan.js';
import type { ContentType } from '../schema/content-type.js';
import type { ContentContext } from './content-context.js';
import type { LoadedPage } from './loaded.js';

/** A page of a content type, with its total where it is wanted. Throws a ValidationError for what the query may not name. */
export async function findMany(type: ContentType, query: Query, { bind, store }: ContentContext): Promise<LoadedPage> {
  const plan = bindPlan(query, type, bind);
  const { documents, tables, total } = await readPage(plan, store.database, store.totals);
  return { selection: plan.selection, pagination: plan.pagination, documents, tables, total };
}
