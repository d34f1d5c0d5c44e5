import { isDeepStrictEqual } from 'node:util';
import { validationError } from '#base/errors.js';
import type { ContentContext } from '#content/content-context.js';
import { countFacets } from '#content/facets.js';
import { findMany } from '#content/find-many.js';
import { readParameters } from '#http/query-string.js';
import type { RouteCall } from '#http/route.js';
import type { Query } from '#model/query/ast.js';
import { parseFilters } from '#model/query/parse-filter.js';
import type { ContentType } from '#model/schema/content-type.js';
import { envelopePage, type Json, withFacets } from './envelope.js';
import { explainAnswer } from './explain-answer.js';
import { asksToExplain } from './read-query.js';

/** Returns a page of entries, with its facets if there are some, and how it is read if that is asked for. */
export function answerList(type: ContentType, query: Query, call: RouteCall): Promise<Json> {
  const { request, content, running } = call;
  const read = async (context: ContentContext): Promise<Json> => {
    if (query.facets.length === 0) return envelopePage(await findMany(type, query, context), context);
    refuseChangedFilters(query, call);
    const [page, facets] = await Promise.all([
      findMany(type, query, context),
      countFacets(type, query, running.config.api.aggregate, context),
    ]);
    return withFacets(envelopePage(page, context), facets);
  };
  return asksToExplain(request.query) ? explainAnswer(call, read) : read(content);
}

/**
 * Throws a ValidationError for a facet that leaves out the filter on its own attribute if code has changed the filters, because they may
 * be what hides entries from the caller.
 */
function refuseChangedFilters({ facets, filter }: Query, { request, running }: RouteCall): void {
  if (!facets.some(({ leavesOutOwn }) => leavesOutOwn)) return;
  const { limits } = running.config.api;
  const sent = parseFilters(readParameters(request.sentQuerystring, limits)['filters'], limits);
  if (!isDeepStrictEqual(sent, filter))
    throw validationError(
      'Invalid parameter facets: code of the project has changed the filters, so that self cannot leave any out',
    );
}
