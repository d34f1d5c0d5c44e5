import { validationError } from '../errors.js';
import type { Query } from './ast.js';
import type { Limits } from './limits.js';
import { parseFields } from './parse-fields.js';
import { parseFilters } from './parse-filter.js';
import { parsePagination, refuseTopLevelPagination } from './parse-pagination.js';
import { parsePopulate, parsePublicationState } from './parse-populate.js';
import { parseSort } from './parse-sort.js';

/**
 * Parses the decoded query string of a REST request. Unknown parameters are ignored: nothing but the parts read here goes further.
 * Throws a ValidationError or PaginationError that names the parameter.
 */
export function parseQuery(input: Readonly<Record<string, unknown>>, limits: Limits): Query {
  refuseTopLevelPagination(input);
  return {
    filter: parseFilters(input['filters'], limits),
    sort: parseSort(input['sort'], limits),
    pagination: parsePagination(input['pagination']),
    fields: parseFields(input['fields']),
    populate: parsePopulate(input['populate'], limits),
    locale: parseLocale(input['locale']),
    publicationState: parsePublicationState(input['publicationState']),
    search: parseSearch(input['_q']),
    withLocales: true,
    withTotal: true,
  };
}

function parseLocale(value: unknown): string | readonly string[] | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  throw validationError('Invalid parameter locale');
}

function parseSearch(value: unknown): string | null {
  if (value === undefined || value === null || value === '') return null;
  if (typeof value === 'string' && value.length <= 1000 && !value.includes('\0')) return value;
  throw validationError('Invalid parameter _q');
}
