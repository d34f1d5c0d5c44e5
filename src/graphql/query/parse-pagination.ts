import { paginationError } from '../../errors.js';
import type { Pagination } from '../../query/ast.js';
import type { PageSettings } from './page-settings.js';

/** The argument `pagination` as graphql-js has coerced it. */
export interface PaginationInput {
  readonly page?: number | null;
  readonly pageSize?: number | null;
  readonly start?: number | null;
  readonly limit?: number | null;
}

export type Offset = Extract<Pagination, { kind: 'offset' }> & { readonly limit: number };

/**
 * Turns pages into offsets and applies the limits (graphql.md 3.4); a page alone has the default size (decisions.md).
 * A limit of -1 means everything. Throws a PaginationError where both modes are mixed.
 */
export function parsePagination(input: PaginationInput | null | undefined, settings: PageSettings): Offset {
  const { page = null, pageSize = null, start = null, limit = null } = input ?? {};
  const paged = page !== null || pageSize !== null;
  if (paged && (start !== null || limit !== null))
    throw paginationError('Cannot use both page & offset pagination in the same query');
  if (!paged) return offset(start ?? 0, limit ?? settings.defaultLimit, settings);
  const size = Math.max(pageSize ?? settings.defaultLimit, 1);
  return offset(((page ?? 1) - 1) * size, size, settings);
}

function offset(start: number, limit: number, { maxLimit }: PageSettings): Offset {
  const most = maxLimit ?? Infinity;
  const cut = limit === -1 ? (maxLimit ?? -1) : Math.min(Math.max(limit, 1), most);
  return { kind: 'offset', start: Math.max(start, 0), limit: cut, withCount: null };
}
