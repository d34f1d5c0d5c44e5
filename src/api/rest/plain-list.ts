import { findMany } from '#content/find-many.js';
import type { Answer, RouteCall } from '#http/route.js';
import { readParameters } from '#http/query-string.js';
import type { Pagination } from '#model/query/ast.js';
import { parseWhole, refuseMixedPagination } from '#model/query/parse-list.js';
import { parseQuery } from '#model/query/parse-query.js';
import type { ContentType } from '#model/schema/content-type.js';
import { flatEntries } from './envelope.js';

/**
 * Maximum number of entries in a list, also if the request has no limit. In Strapi v4 such a list is unlimited, and 0 means no
 * limit.
 */
const longestList = 10_000;

/** Pagination parameters. Only `start` and `limit` have an effect, as in Strapi v4. */
const paging: ReadonlySet<string> = new Set(['start', 'limit', 'page', 'pageSize', 'pagination']);

/** Answers with a list of users or files, without envelope. */
export async function plainList(type: ContentType, { request, content, running }: RouteCall): Promise<Answer> {
  const { limits } = running.config.api;
  const input = readParameters(request.query, limits);
  refuseMixedPagination(input);
  const window = { start: parseWhole('start', input) ?? 0, limit: parseWhole('limit', input) || longestList };
  const pagination: Pagination = { kind: 'offset', ...window, withCount: false };
  const parsedQuery = parseQuery(Object.fromEntries(Object.entries(input).filter(([name]) => !paging.has(name))), limits);
  const query = { ...parsedQuery, publicationState: parsedQuery.publicationState ?? 'preview', pagination, withTotal: false };
  const settings = { ...content.bind.settings, maxLimit: longestList };
  const { entries } = await findMany(type, query, { ...content, bind: { ...content.bind, settings } });
  return { body: flatEntries(entries, content) };
}
