import type { ContentContext } from '#content/content-context.js';
import { countFacets } from '#content/facets.js';
import { findMany } from '#content/find-many.js';
import type { RouteCall } from '#http/route.js';
import type { Query } from '#model/query/ast.js';
import type { ContentType } from '#model/schema/content-type.js';
import { envelopePage, type Json, withFacets } from './envelope.js';
import { explainAnswer } from './explain-answer.js';
import { asksToExplain } from './read-query.js';

/** Returns a page of entries, with its facets if there are some, and how it is read if that is asked for. */
export function answerList(type: ContentType, query: Query, call: RouteCall): Promise<Json> {
  const { request, content, running } = call;
  const read = async (context: ContentContext): Promise<Json> => {
    if (query.facets.length === 0) return envelopePage(await findMany(type, query, context), context);
    const [page, facets] = await Promise.all([
      findMany(type, query, context),
      countFacets(type, query, running.config.api.aggregate, context),
    ]);
    return withFacets(envelopePage(page, context), facets);
  };
  return asksToExplain(request.query) ? explainAnswer(call, read) : read(content);
}
