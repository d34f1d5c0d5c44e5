import { validationError } from '#base/errors.js';
import type { Values } from '#base/values.js';
import { parseFacets } from './aggregate/parse-facets.js';
import { emptyQuery, type Query } from './ast.js';
import type { Limits } from './bind-context.js';
import { parseCursors, refuseCursors } from './parse-cursors.js';
import { parseFields, parsePagination, parseSort, parseUnusedSort, refuseTopLevelPagination } from './parse-list.js';
import { parseFilters } from './parse-filter.js';
import { parsePopulate, parsePublicationState } from './parse-populate.js';

/**
 * Requests that take some of the parameters of lists: for one entry by its id, also the answers of writes or only those of reads, for one
 * that is looked up by another value or is the only one of its type, for the number of entries, and for changes of entries.
 */
type Taker = 'entry' | 'one' | 'lookUp' | 'count' | 'sync';

interface Parameter<Part extends keyof Query> {
  /** The part of a query that it is parsed to. */
  readonly part: Part;
  /** The requests that take it, besides those for lists. Requests for one entry parse all parameters, although some have no effect. */
  readonly takers: readonly Taker[];
  /** Throws a ValidationError or PaginationError that names the parameter. */
  readonly parse: (value: unknown, limits: Limits) => Query[Part];
  /** Parses it for one entry; as for lists if absent. */
  readonly parseOfEntry?: (value: unknown, limits: Limits) => Query[Part];
}

type AnyParameter = { readonly [Part in keyof Query]-?: Parameter<Part> }[keyof Query];

/** The parameters of lists over REST, in the order in which they are parsed, and in which messages list them. */
const parameters = {
  pagination: {
    part: 'pagination',
    takers: [],
    parse: (value) => parseCursors(value) ?? parsePagination(value),
    parseOfEntry: (pagination) => {
      refuseCursors({ pagination });
      return null;
    },
  },
  sort: { part: 'sort', takers: [], parse: parseSort, parseOfEntry: parseUnusedSort },
  filters: { part: 'filter', takers: ['count', 'sync'], parse: parseFilters },
  fields: { part: 'fields', takers: ['entry', 'lookUp', 'sync'], parse: parseFields },
  populate: { part: 'populate', takers: ['entry', 'lookUp'], parse: parsePopulate },
  _q: { part: 'search', takers: ['count'], parse: parseSearch },
  locale: { part: 'locale', takers: ['entry', 'lookUp', 'count', 'sync'], parse: parseLocale },
  fallbackLocale: { part: 'fallbackLocales', takers: ['one', 'lookUp', 'count'], parse: parseFallback },
  publicationState: {
    part: 'publicationState',
    takers: ['lookUp', 'count', 'sync'],
    parse: parsePublicationState,
    parseOfEntry: (state) => (state === 'live' || state === 'preview' ? state : null),
  },
  facets: { part: 'facets', takers: [], parse: parseFacets, parseOfEntry: () => [] },
} as const satisfies Readonly<Record<string, AnyParameter>>;

type Name = keyof typeof parameters;

const rows = Object.entries(parameters) as readonly [Name, AnyParameter][]; // its names

/** Returns the names of the parameters that a request takes. */
export const parametersOf = (taker: Taker): readonly Name[] =>
  rows.flatMap(([name, { takers }]) => (takers.includes(taker) ? [name] : []));

/**
 * Parses the decoded query string of a REST request for a list. Unknown parameters are ignored. Throws a ValidationError or
 * PaginationError that names the parameter.
 */
export function parseQuery(input: Values, limits: Limits): Query {
  refuseTopLevelPagination(input);
  return queryOf((name, { parse }) => parse(input[name], limits));
}

/**
 * Does the same for a request for one entry. Pagination without cursors is ignored, and so are unknown publication states, unless
 * `fallbackLocale` depends on them.
 */
export function parseEntryQuery(input: Values, limits: Limits): Query {
  const fallsBack = (input['fallbackLocale'] ?? null) !== null;
  return queryOf((name, { parse, parseOfEntry = parse }) =>
    (name === 'publicationState' && fallsBack ? parse : parseOfEntry)(input[name], limits),
  );
}

/** Returns a query of the parts that a function returns. */
function queryOf(parse: (name: Name, parameter: AnyParameter) => unknown): Query {
  const query: Record<string, unknown> = { ...emptyQuery, withLocales: true };
  for (const [name, parameter] of rows) query[parameter.part] = parse(name, parameter);
  if (query['publicationState'] === 'preview') query['showsDrafts'] = true;
  return query as unknown as Query; // each part is parsed as its type
}

function parseLocale(value: unknown): string | readonly string[] | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  throw validationError('Invalid parameter locale');
}

/** Parses a comma list, or a list of codes. Unknown codes are refused when they are bound. */
function parseFallback(value: unknown): readonly string[] | null {
  if (value === undefined || value === null) return null;
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return items.flatMap((item) => {
    const codes = typeof item === 'string' ? item.split(',').map((code) => code.trim()) : [''];
    if (codes.includes('')) throw validationError('Invalid parameter fallbackLocale: expected codes of locales');
    return codes;
  });
}

function parseSearch(value: unknown): string | null {
  if (value === undefined || value === null || value === '') return null;
  if (typeof value === 'string' && value.length <= 1000 && !value.includes('\0')) return value;
  throw validationError('Invalid parameter _q');
}
