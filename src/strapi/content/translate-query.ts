import { validationError } from '../../errors.js';
import { emptyQuery, type Filter, type Query } from '../../query/ast.js';
import type { Limits } from '../../query/bind-context.js';
import { parseFields, parseSort, parseWhole } from '../../query/parse-list.js';
import { parseFilters } from '../../query/parse-filter.js';
import { parsePopulate } from '../../query/parse-populate.js';
import { isPlainObject, mapValues, type Values } from '../../values.js';

/** Parameters of `strapi.db.query(uid)`. Undefined parameters are treated as absent. */
export interface EngineParameters {
  /** Conditions in the form of `filters`: `{ slug: 'a', author: { name: { $contains: 'b' } } }`. */
  readonly where?: unknown;
  /** Further conditions in the same form. */
  readonly filters?: unknown;
  readonly select?: string | readonly string[] | undefined;
  /** `true` for all relations, names, or parameters by name. */
  readonly populate?: unknown;
  readonly orderBy?: unknown;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly page?: number | undefined;
  readonly pageSize?: number | undefined;
  /** Text to search for in all attributes. */
  readonly _q?: string | undefined;
}

/** Returns the limits of code: those against endless work stay, others are removed. */
export const limitsOfCode = (limits: Limits): Limits => ({
  ...limits,
  filterNodes: Infinity,
  listValues: Infinity,
  populateRelations: Infinity,
});

/** Returns a query of all locales, drafts and published entries. Throws a ValidationError for invalid parameters. */
export function engineQuery(parameters: EngineParameters, limits: Limits): Query {
  const { select, populate, orderBy, _q: search } = parameters;
  return {
    ...emptyQuery,
    filter: engineFilter(parameters, limits),
    sort: parseSort(orderBy, limits),
    fields: parseFields(select ?? undefined),
    populate: parsePopulate(translatePopulate(populate), limits),
    search: search === undefined || search === '' ? null : search,
    pagination: paginationOf(parameters),
    locale: 'all',
    publicationState: 'preview',
    includePrivate: true,
    withTotal: false,
  };
}

/** Returns only the conditions; null if there are none. */
export function engineFilter({ where, filters }: EngineParameters, limits: Limits): Filter | null {
  const parts = [where, filters].filter((part) => part !== undefined && part !== null);
  return parseFilters({ $and: parts.map((part) => asRecord(translateWhere(part))) }, limits);
}

const asRecord = (value: unknown): Values => {
  if (isPlainObject(value)) return value;
  throw validationError('where must be an object or a list of objects');
};

const groups: ReadonlySet<string> = new Set(['$and', '$or']);

/** Translates conditions. A list means that all its conditions must be met. */
function translateWhere(where: unknown): unknown {
  if (Array.isArray(where)) return { $and: where.map(translateWhere) };
  if (!isPlainObject(where)) return where;
  return Object.fromEntries(
    Object.entries(where).map(([key, value]) => {
      if (groups.has(key)) return [key, [value].flat().map(translateWhere)];
      return [key, key.startsWith('$') && key !== '$not' ? value : translateField(value)];
    }),
  );
}

/** Translates the condition on an attribute. A list is one of values, unless it contains conditions. */
const translateField = (value: unknown): unknown =>
  Array.isArray(value) && !value.some(isCondition) ? value : translateWhere(value);

const isCondition = (value: unknown): boolean => isPlainObject(value) && Object.keys(value).length > 0;

function translatePopulate(populate: unknown): unknown {
  if (populate === true) return '*';
  if (populate === false || !isPlainObject(populate)) return populate === false ? undefined : populate;
  return mapValues(populate, (value) => (isPlainObject(value) ? translateNested(value) : value));
}

/** Translates the parameters of a populated relation into those of REST. */
function translateNested({ select, where, filters, orderBy, offset, populate, on, ...rest }: Values): Values {
  const conditions = [where, filters].filter((part) => part !== undefined && part !== null).map(translateWhere);
  const given = {
    fields: select,
    filters: conditions.length > 0 ? { $and: conditions } : undefined,
    sort: orderBy,
    start: offset,
    populate: translatePopulate(populate),
    on: isPlainObject(on) ? mapValues(on, (value) => (isPlainObject(value) ? translateNested(value) : value)) : on,
  };
  return { ...rest, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) };
}

const paginationOf = (parameters: EngineParameters): Query['pagination'] => ({
  kind: 'offset',
  start: parseWhole('offset', { ...parameters }) ?? 0,
  limit: parseWhole('limit', { ...parameters }) ?? -1,
  withCount: true,
});
