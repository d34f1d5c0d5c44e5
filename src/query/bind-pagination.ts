import type { Pagination } from './ast.js';
import type { BindContext, BindSettings } from './bind-context.js';
import type { BoundPagination, Window } from './plan.js';

/** Applies defaults and limits: numbers below the least are raised, numbers above the most are lowered. */
export function bindPagination(pagination: Pagination | null, settings: BindSettings): BoundPagination {
  const { defaultLimit } = settings;
  if (pagination?.kind === 'offset') {
    const { start, limit } = pagination;
    return { kind: 'offset', start: Math.max(start, 0), limit: limit === null ? defaultLimit : boundLimit(limit, settings) };
  }
  const pageSize = pagination?.pageSize ?? null;
  return {
    kind: 'page',
    page: Math.max(pagination?.page ?? 1, 1),
    pageSize: pageSize === null ? defaultLimit : Math.min(Math.max(pageSize, 1), settings.maxLimit ?? Infinity),
  };
}

/** -1 asks for everything that the maximum allows. */
function boundLimit(limit: number, { maxLimit }: BindSettings): number {
  if (limit === -1) return maxLimit ?? -1;
  return Math.min(Math.max(limit, 1), maxLimit ?? Infinity);
}

/** The rows to skip and to read, no further than the server counts. */
export function windowOf(pagination: BoundPagination): Window {
  if (pagination.kind === 'page') {
    const skip = Math.min((pagination.page - 1) * pagination.pageSize, Number.MAX_SAFE_INTEGER);
    return { skip, limit: pagination.pageSize };
  }
  return { skip: Math.min(pagination.start, Number.MAX_SAFE_INTEGER), limit: pagination.limit === -1 ? null : pagination.limit };
}

/**
 * The window of a list within an entry. Null: all of it, which the budget alone limits; a limit of its own is lowered to the
 * setting.
 */
export function bindWindow(pagination: Pagination | null, { settings }: BindContext): Window | null {
  if (pagination?.kind !== 'offset') return null;
  const { start, limit } = pagination;
  const skip = Math.max(start, 0);
  if (limit === null || limit === -1) return skip === 0 ? null : { skip, limit: null };
  return { skip, limit: Math.min(limit, settings.maxNested ?? Infinity) };
}
