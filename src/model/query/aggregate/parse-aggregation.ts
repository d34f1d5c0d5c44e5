import { validationError } from '#base/errors.js';
import { isRecord, type Values } from '#base/values.js';
import { emptyQuery, type KeyQuery } from '../ast.js';
import type { Limits } from '../bind-context.js';
import { refuseCursors } from '../parse-cursors.js';
import { parseFilters } from '../parse-filter.js';
import { parseQuery, parametersOf } from '../parse-query.js';
import {
  type AggregationQuery,
  type FunctionName,
  functionNames,
  type FunctionQuery,
  maxFunctions,
  maxKeys,
} from './aggregation.js';
import { parseTimeZone } from './buckets.js';
import { parseKey, parsePath } from './parse-key.js';

/** The parameters of a request for groups, besides those of the entries that are grouped. */
const ownParameters = ['aggregate', 'groupBy', 'having', 'sort', 'pagination', 'timezone'] as const;

/** The parameters of a request for groups. */
export const aggregateParameters: readonly string[] = [...parametersOf('count'), ...ownParameters];

/**
 * Parses the decoded query string of a request for groups. Without `aggregate`, entries are counted. Throws a ValidationError or
 * PaginationError that names the parameter.
 */
export function parseAggregation(input: Values, limits: Limits): AggregationQuery {
  refuseCursors(input);
  const groupBy = parseKeys(input['groupBy']);
  const { filter, sort, pagination, locale, fallbackLocales, publicationState, showsDrafts, search } = parseQuery(input, limits);
  return {
    entries: {
      ...emptyQuery,
      filter,
      sort,
      pagination,
      locale,
      fallbackLocales,
      publicationState,
      ...(showsDrafts && { showsDrafts }),
      search,
      withTotal: pagination?.withCount ?? true,
    },
    functions: parseFunctions(input['aggregate']),
    groupBy,
    having: parseHaving(input['having'], limits),
    timeZone: parseTimeZone(input['timezone'], groupBy),
  };
}

/** Parses `aggregate[count]=*&aggregate[avg]=rating`. */
function parseFunctions(input: unknown): readonly FunctionQuery[] {
  if (input === undefined) return [{ name: 'count', path: [] }];
  if (!isRecord(input)) throw invalid('aggregate', `expected functions, such as aggregate[count]=*`);
  const functions = Object.entries(input).flatMap(([name, value]) => {
    if (!isFunctionName(name)) throw invalid(`aggregate[${name}]`, `expected one of ${functionNames.join(', ')}`);
    return namesOf(value, `aggregate[${name}]`).map((attribute) => parseFunction(name, attribute));
  });
  if (functions.length > maxFunctions) throw invalid('aggregate', `more than ${String(maxFunctions)} functions`);
  return functions;
}

export const isFunctionName = (name: string): name is FunctionName => (functionNames as readonly string[]).includes(name);

function parseFunction(name: FunctionName, attribute: string): FunctionQuery {
  if (name !== 'count') return { name, path: parsePath(attribute, `aggregate[${name}]`) };
  if (attribute !== '*') throw invalid('aggregate[count]', 'entries are counted, so that it must be *');
  return { name, path: [] };
}

/** Parses `groupBy[0]=category.name&groupBy[1]=publishedAt:month`. */
function parseKeys(input: unknown): readonly KeyQuery[] {
  if (input === undefined) return [];
  const names = namesOf(input, 'groupBy');
  if (names.length > maxKeys) throw invalid('groupBy', `more than ${String(maxKeys)} keys`);
  return names.map((name) => parseKey(name, 'groupBy'));
}

/** Returns the names in a text or a list of texts. Throws a ValidationError for other values, and for an empty name. */
function namesOf(input: unknown, parameter: string): string[] {
  const items: readonly unknown[] = Array.isArray(input) ? input : [input];
  return items.flatMap((item) => {
    const names = typeof item === 'string' ? item.split(',').map((name) => name.trim()) : [''];
    if (names.includes('')) throw invalid(parameter, 'expected the names of attributes');
    return names;
  });
}

function parseHaving(input: unknown, limits: Limits): AggregationQuery['having'] {
  if (input !== undefined && !isRecord(input)) throw invalid('having', 'expected conditions, such as having[count][$gte]=2');
  return parseFilters(input, limits);
}

const invalid = (parameter: string, reason: string): Error => validationError(`Invalid parameter ${parameter}: ${reason}`);
