import type { FoundPage } from '#content/find-many.js';
import { paginationError } from '#base/errors.js';
import { refuseObjects, refuseReservedKeys } from '#http/plain-input.js';
import { readParameters } from '#http/query-string.js';
import type { RouteCall } from '#http/route.js';
import type { Query } from '#model/query/ast.js';
import type { BindContext } from '#model/query/bind-context.js';
import { parseEntryQuery } from '#model/query/parse-query.js';
import { decodeId, type Values } from '#base/values.js';

/** Most entries of a page of the panel. Its own lists offer at most 100. */
export const largestPage = 1_000;

/** The parameters of the panel that may be objects. */
const structured: ReadonlySet<string> = new Set(['filters', 'sort', 'fields', 'populate', 'pagination', 'plugins']);

/** Throws a ValidationError that names a parameter or a key of the body in a form that no request of the panel has. */
export function checkInput({ request, running }: Pick<RouteCall, 'request' | 'running'>): void {
  refuseObjects(request.query, { limits: running.config.api.limits, structured });
  refuseReservedKeys(request.body);
}

/** Returns the parameters of a request of the panel as an object. Throws a ValidationError for a query string that is too large. */
export const parametersOf = ({ request, running }: Pick<RouteCall, 'request' | 'running'>): Values =>
  readParameters(request.query, running.config.api.limits);

/**
 * Returns the query of a list of the panel: `page`, `pageSize`, `sort`, `filters`, `_q`, `locale` and `fields`, of drafts too. What
 * is populated is up to the list. Throws a ValidationError or PaginationError that names the parameter.
 */
export function parseListQuery(parameters: Values, { limits }: Pick<BindContext, 'limits'>): Query {
  const { filters, sort, fields, locale, _q } = parameters;
  const query = parseEntryQuery({ filters, sort, fields, locale, _q }, limits);
  return { ...query, pagination: parsePage(parameters), publicationState: 'preview', showsDrafts: true, withLocales: false };
}

/** Returns the page that the parameters ask for; the first one, with ten entries, by default. Throws a PaginationError. */
export function parsePage(parameters: Values) {
  const whole = (name: 'page' | 'pageSize', fallback: number): number => {
    const value = parameters[name] ?? fallback;
    const figure = typeof value === 'number' ? value : decodeId(String(value));
    if (figure > 0) return figure;
    // Strapi v4 names the number of the page in both messages.
    throw paginationError(`Invalid '${name}' parameter. Expected an integer > 0, received: ${String(parameters['page'])}`);
  };
  const pageSize = Math.min(whole('pageSize', 10), largestPage);
  return { kind: 'page', page: whole('page', 1), pageSize, withCount: true } as const;
}

/** Returns the pagination of a list of the panel. */
export function paginationOf({ pagination, total }: Pick<FoundPage, 'pagination' | 'total'>) {
  const [page, pageSize] = pagination.kind === 'page' ? [pagination.page, pagination.pageSize] : [1, largestPage];
  return { page, pageSize, pageCount: Math.ceil((total ?? 0) / pageSize), total: total ?? 0 };
}
