import { validationError } from '#base/errors.js';
import { emptyQuery, type Query } from './ast.js';
import type { Limits } from './bind-context.js';
import { parseCursors, refuseCursors } from './parse-cursors.js';
import { parseFields, parsePagination, parseSort, parseUnusedSort, refuseTopLevelPagination } from './parse-list.js';
import { parseFilters } from './parse-filter.js';
import { parsePopulate, parsePublicationState } from './parse-populate.js';
import type { Values } from '#base/values.js';

/**
 * Parses the decoded query string of a REST request for a list. Unknown parameters are ignored. Throws a ValidationError or
 * PaginationError that names the parameter.
 */
export function parseQuery(input: Values, limits: Limits): Query {
  refuseTopLevelPagination(input);
  const pagination = parseCursors(input['pagination']) ?? parsePagination(input['pagination']);
  const sort = parseSort(input['sort'], limits);
  return { ...parseParts(input, limits), sort, pagination, publicationState: parsePublicationState(input['publicationState']) };
}

/** Does the same for a request for one entry. Pagination without cursors and unknown publication states are ignored. */
export function parseEntryQuery(input: Values, limits: Limits): Query {
  refuseCursors(input);
  const state = input['publicationState'];
  const sort = parseUnusedSort(input['sort'], limits);
  return { ...parseParts(input, limits), sort, publicationState: state === 'live' || state === 'preview' ? state : null };
}

function parseParts(input: Values, limits: Limits): Query {
  return {
    ...emptyQuery,
    filter: parseFilters(input['filters'], limits),
    fields: parseFields(input['fields']),
    populate: parsePopulate(input['populate'], limits),
    locale: parseLocale(input['locale']),
    search: parseSearch(input['_q']),
    withLocales: true,
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
