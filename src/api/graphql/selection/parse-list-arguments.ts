import { paginationError } from '#base/errors.js';
import type { Pagination, Query } from '#model/query/ast.js';
import type { BindContext, BindSettings } from '#model/query/bind-context.js';
import { boundLimit } from '#model/query/bind-list.js';
import { parseFilters } from '#model/query/parse-filter.js';
import { parseSort } from '#model/query/parse-list.js';
import type { ContentType } from '#model/schema/content-type.js';
import { isRecord } from '#base/values.js';
import { translateFilters } from './translate-filters.js';

/** The page sizes of GraphQL, also for nested lists. */
export type PageSettings = Pick<BindSettings, 'defaultLimit' | 'maxLimit'>;

type ListPart = Pick<Query, 'filter' | 'sort' | 'publicationState' | 'showsDrafts'> & { readonly pagination: Offset };

/**
 * Reads filters, sort, pagination and publicationState of a list from coerced arguments. Throws a ValidationError or
 * PaginationError. `publicationState` exists only for types with drafts, and an explicit null includes drafts. The others have no
 * drafts themselves, but quantifiers in their filters may be about some.
 */
export function parseListArguments(
  args: Readonly<Record<string, unknown>>,
  type: ContentType,
  { registry, limits, settings }: Pick<BindContext, 'registry' | 'limits' | 'settings'>,
): ListPart {
  const { filters, sort, pagination, publicationState } = args;
  return {
    filter: isRecord(filters) ? parseFilters(translateFilters(filters, type, registry), limits) : null,
    sort: parseSort(sort, limits),
    pagination: parsePagination(isRecord(pagination) ? pagination : null, settings),
    ...(type.draftAndPublish && publicationState !== 'live'
      ? { publicationState: 'preview', showsDrafts: true }
      : { publicationState: 'live' }),
  };
}

/** The coerced argument `pagination`. */
interface PaginationInput {
  readonly page?: number | null;
  readonly pageSize?: number | null;
  readonly start?: number | null;
  readonly limit?: number | null;
}

export type Offset = Extract<Pagination, { kind: 'offset' }> & { readonly limit: number };

/**
 * Converts pages to offsets and applies the limits. A page without a size has the default size. A limit of -1 means no limit.
 * Throws a PaginationError if pages and offsets are mixed.
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

const offset = (start: number, limit: number, settings: PageSettings): Offset => ({
  kind: 'offset',
  start: Math.max(start, 0),
  limit: boundLimit(limit, settings),
  withCount: null,
});

/**
 * Returns the page sizes from `defaultLimit`, `maxLimit` and `amountLimit` of the configuration. A maxLimit of -1 means no
 * maximum. Without maxLimit, amountLimit is the maximum.
 */
export function pageSettings({
  defaultLimit,
  maxLimit,
  amountLimit,
}: PageSettings & { readonly amountLimit: number }): PageSettings {
  const cap = maxLimit ?? amountLimit;
  return { defaultLimit, maxLimit: cap < 0 ? null : cap };
}
