import { countFacets } from '#content/facets.js';
import { findMany } from '#content/find-many.js';
import type { RouteCall } from '#http/route.js';
import type { Query } from '#model/query/ast.js';
import type { ContentType } from '#model/schema/content-type.js';
import { envelopePage, type Json, withFacets } from './envelope.js';
import { explainList } from './explain-list.js';
import { asksToExplain } from './read-query.js';

/** Returns a page of entries, with its facets if there are some, or with how it is read. */
export async function answerList(type: ContentType, query: Query, call: RouteCall): Promise<Json> {
  const { request, content, running } = call;
  if (asksToExplain(request.query)) return explainList(type, query, call);
  if (query.facets.length === 0) return envelopePage(await findMany(type, query, content), content);
  const [page, facets] = await Promise.all([
    findMany(type, query, content),
    countFacets(type, query, running.config.api.aggregate, content),
  ]);
  return withFacets(envelopePage(page, content), facets);
}
