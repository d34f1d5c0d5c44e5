import type { Query } from '../../query/ast.js';
import type { Limits } from '../../query/limits.js';
import { parseFilters } from '../../query/parse-filter.js';
import { parseSort } from '../../query/parse-sort.js';
import { isRecord } from '../../query/is-record.js';
import type { ContentType, Registry } from '../../schema/content-type.js';
import type { PageSettings } from './page-settings.js';
import { parsePagination, type Offset } from './parse-pagination.js';
import { respellFilters } from './respell-filters.js';

/** What arguments are read with. */
export interface ArgumentContext {
  readonly registry: Registry;
  readonly limits: Limits;
  readonly pages: PageSettings;
}

type ListPart = Pick<Query, 'filter' | 'sort' | 'publicationState'> & { readonly pagination: Offset };

/**
 * Reads filters, sort, pagination and publicationState of a list, coerced by graphql-js. Throws a ValidationError or
 * PaginationError. A type without draft & publish has no such argument, and an explicit null asks for drafts as well.
 */
export function parseListArguments(
  args: Readonly<Record<string, unknown>>,
  type: ContentType,
  context: ArgumentContext,
): ListPart {
  const { filters, sort, pagination, publicationState } = args;
  return {
    filter: isRecord(filters) ? parseFilters(respellFilters(filters, type, context.registry), context.limits) : null,
    sort: parseSort(sort, context.limits),
    pagination: parsePagination(isRecord(pagination) ? pagination : null, context.pages),
    publicationState: publicationState === 'live' ? 'live' : 'preview',
  };
}
