import { quantifiers } from '#model/query/operators.js';
import { validationError } from '#base/errors.js';
import { emptyQuery, type Filter, type Query } from '#model/query/ast.js';
import type { Limits } from '#model/query/bind-context.js';
import { parseFields, parseSort, parseWhole } from '#model/query/parse-list.js';
import { parseFilters } from '#model/query/parse-filter.js';
import { parsePopulate } from '#model/query/parse-populate.js';
import { isPlainObject, mapValues, type Values } from '#base/values.js';

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
  /** Attributes of which one row is read for each combination of values. `select` names some of them. */
  readonly groupBy?: string | readonly string[] | undefined;
  /** Text to search for in all attributes. */
  readonly _q?: string | undefined;
}

/** The parameters that reads take. */
const readNames: ReadonlySet<string> = new Set<keyof EngineParameters>([
  'where',
  'filters',
  'select',
  'populate',
  'orderBy',
  'groupBy',
  'limit',
  'offset',
  '_q',
]);

/** What stands here for parameters of the entity service. */
const insteadOf: Readonly<Record<string, string>> = {
  fields: 'select',
  sort: 'orderBy',
  start: 'offset',
  page: 'offset, or call findPage',
  pageSize: 'limit, or call findPage',
  pagination: 'offset and limit',
};

/**
 * The parameters that a populated relation takes: those of a read but `_q` and `groupBy`, which have no effect there. Reads of the API
 * describe themselves with `publicationState` and `ordering` to code around them.
 */
const nestedNames: ReadonlySet<string> = new Set(
  [...readNames, 'on', 'count', 'publicationState', 'ordering'].filter((name) => name !== '_q' && name !== 'groupBy'),
);

/** Returns a line for each parameter of a read that has no effect, as in Strapi v4. */
export const unreadParameters = (parameters: EngineParameters): readonly string[] => [
  ...unreadIn(parameters, readNames, ''),
  ...unreadBelow(parameters.populate, 'populate'),
];

const unreadIn = (given: object, names: ReadonlySet<string>, place: string): readonly string[] =>
  Object.keys(given)
    .filter((name) => !names.has(name))
    .map((name) => `${place}${name} has no effect, as in Strapi v4; use ${insteadOf[name] ?? 'where'}`);

/** Returns the lines of populated relations, whose parameters are by name. */
function unreadBelow(populate: unknown, place: string): readonly string[] {
  if (!isPlainObject(populate)) return [];
  return Object.entries(populate).flatMap(([name, value]) =>
    isPlainObject(value)
      ? [
          ...unreadIn(value, nestedNames, `${place}.${name}.`),
          ...unreadBelow(value['populate'], `${place}.${name}.populate`),
          ...unreadBelow(value['on'], `${place}.${name}.on`),
        ]
      : [],
  );
}

/**
 * Returns a query of all locales, drafts and published entries for parameters as `presentParameters` returns them. Throws a
 * ValidationError for invalid ones.
 */
export function engineQuery(parameters: EngineParameters, limits: Limits): Query {
  const { select, populate, orderBy, _q: search } = parameters;
  return {
    ...emptyQuery,
    filter: engineFilter(parameters, limits),
    sort: parseSort(orderBy, limits),
    fields: parseFields(isEmptyList(select) ? undefined : select),
    populate: parsePopulate(translatePopulate(populate), limits),
    search: search === undefined || search === '' ? null : search,
    pagination: { kind: 'offset', ...offsetWindow(parameters), withCount: true },
    locale: 'all',
    publicationState: 'preview',
    includePrivate: true,
    withTotal: false,
  };
}

/** An empty `select` means all attributes, as in Strapi v4. */
const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

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

/** The operators whose operand is a condition. */
const leads: ReadonlySet<string> = new Set(['$not', ...quantifiers.map((name) => `$${name}`)]);

/** Translates conditions. A list means that all its conditions must be met. */
function translateWhere(where: unknown): unknown {
  if (Array.isArray(where)) return { $and: where.map(translateWhere) };
  if (!isPlainObject(where)) return where;
  return Object.fromEntries(
    Object.entries(where).map(([key, value]) => {
      if (groups.has(key)) return [key, [value].flat().map(translateWhere)];
      return [key, key.startsWith('$') && !leads.has(key) ? value : translateField(value)];
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

/** Translates the parameters of a populated relation into those of REST. Others have no effect, also if REST has them. */
function translateNested({ select, where, filters, orderBy, offset, populate, on, ...others }: Values): Values {
  const conditions = [where, filters].filter((part) => part !== undefined && part !== null).map(translateWhere);
  const given = {
    fields: select,
    filters: conditions.length > 0 ? { $and: conditions } : undefined,
    sort: orderBy,
    start: offset,
    populate: translatePopulate(populate),
    on: isPlainObject(on) ? mapValues(on, (value) => (isPlainObject(value) ? translateNested(value) : value)) : on,
  };
  const rest = Object.entries(others).filter(([name]) => nestedNames.has(name));
  return Object.fromEntries([...rest, ...Object.entries(given).filter(([, value]) => value !== undefined)]);
}

/** Returns the first entry and the number of entries that are asked for; -1 for all. Throws a ValidationError for other values. */
export const offsetWindow = ({ offset, limit }: Pick<EngineParameters, 'offset' | 'limit'>) => ({
  start: parseWhole('offset', { offset }) ?? 0,
  limit: parseWhole('limit', { limit }) ?? -1,
});
