import { refusedBy } from '#base/limits/exceeded.js';
import { invalidParameter, validationError } from '#base/errors.js';
import {
  emptyQuery,
  noPopulate,
  populateOptions,
  type Pagination,
  type Populate,
  type PopulateField,
  type PublicationState,
  type Query,
} from './ast.js';
import { isRecord } from '#base/values.js';
import type { Limits } from './bind-context.js';
import { mergeFields, plainField, tooDeep, unite } from './merge-populate.js';
import { parseFields, parseSort, parseWhole, refuseMixedPagination } from './parse-list.js';
import { refuseCursors } from './parse-cursors.js';
import { parseFilters } from './parse-filter.js';

/**
 * Parses `populate` in all its spellings: `*`, names, dotted paths, comma lists, lists of those, objects with nested fields,
 * filters, sort, start, limit, publicationState, populate, and `on` for dynamic zones. A mixture of them means everything that they
 * name. Names are looked up when it is bound.
 */
export function parsePopulate(input: unknown, limits: Limits): Populate {
  const unknown: Context['unknown'] = {};
  const populate = parseLevel(input, { limits, relations: new Set(), unknown, path: '', depth: 1 });
  return unknown.option === undefined ? populate : { ...populate, unknownOption: unknown.option };
}

interface Context {
  readonly limits: Limits;
  /** Paths of the relations so far. */
  readonly relations: Set<string>;
  /** The first option so far that nothing reads. */
  readonly unknown: { option?: string | undefined };
  /** Path of the relation whose level is parsed. */
  readonly path: string;
  readonly depth: number;
}

function parseLevel(input: unknown, context: Context): Populate {
  if (input === undefined || input === null || input === '') return noPopulate;
  if (context.depth > context.limits.populateDepth) throw tooDeep(context.limits);
  if (typeof input === 'string') return parseList(input.split(','), context);
  if (!Array.isArray(input) && !isRecord(input)) throw invalidParameter('populate');
  return unite(Object.entries(input).map(([key, value]) => parseEntry(key, value, context)));
}

/** Parses a comma list. As in Strapi v4, `*` alone means everything, and is ignored beside other names. */
const parseList = (items: readonly string[], context: Context): Populate =>
  parsePaths(items.length === 1 ? items : items.filter((item) => item.trim() !== '*'), context);

/**
 * Parses an item of a list or an entry of an object. A query string that mixes forms is decoded to either:
 * `populate=a&populate[b][fields]=c` to `['a', { b: … }]`, and `populate[0]=a&populate[b][fields]=c` to `{ 0: 'a', b: … }`.
 */
function parseEntry(key: string, value: unknown, context: Context): Populate {
  if (value === null) return noPopulate;
  if (value === true) return parsePaths(key.split(','), context);
  if (!isIndex(key)) return { all: key === '*' && isWanted(value), fields: parseNamed(key, value, context) };
  if (typeof value === 'string') return parsePaths(value.split(','), context);
  if (isRecord(value)) return parseLevel(value, context);
  throw invalidParameter(key);
}

function parsePaths(items: readonly string[], context: Context): Populate {
  const paths = items.map((item) => item.trim()).filter((item) => item !== '');
  const fields = paths.filter((path) => path !== '*').map((path) => parsePath(path.split('.'), context));
  return { all: paths.includes('*'), fields: mergeFields(fields) };
}

function parsePath(path: readonly string[], context: Context): PopulateField {
  const [name = '', ...rest] = path;
  const below = enter(name, context);
  if (context.depth + rest.length > context.limits.populateDepth) throw tooDeep(context.limits);
  // as in Strapi v4, a `*` at the end of a path has no effect
  if (rest.length === 0 || (rest.length === 1 && rest[0] === '*')) return plainField(name, emptyQuery);
  const inner = parsePath(rest, { ...below, depth: context.depth + 1 });
  return plainField(name, { ...emptyQuery, populate: { all: false, fields: [inner] } });
}

function parseNamed(name: string, value: unknown, context: Context): PopulateField[] {
  if (name === '*') return [];
  const [first = '', ...rest] = name.split('.');
  if (rest.length === 0) return parseValue(name, value, enter(name, context));
  if (isRecord(value) || Array.isArray(value)) return parseNamed(first, { populate: { [rest.join('.')]: value } }, context);
  return isWanted(value) ? [parsePath([first, ...rest], context)] : [];
}

/** Parses what is written under a name: a flag, an object, or a list of both if the query string has both. */
function parseValue(name: string, value: unknown, below: Context): PopulateField[] {
  if (isRecord(value)) return [parseObject(name, value, below)];
  if (!Array.isArray(value)) return isWanted(value) ? [plainField(name, emptyQuery)] : [];
  if (!value.every((item) => isRecord(item) || isFlag(item))) throw invalidParameter(name);
  return mergeFields(value.flatMap((item) => parseValue(name, item, below)));
}

const isIndex = (key: string): boolean => /^\d+$/.test(key);

const no = ['', 'false', 'f', '0'];

const isWanted = (value: unknown): boolean => value === true || (typeof value === 'string' && !no.includes(value));

const isFlag = (value: unknown): boolean => value === null || ['true', 't', '1', '*', ...no].some((word) => word === value);

function parseObject(name: string, value: Readonly<Record<string, unknown>>, below: Context): PopulateField {
  const misplaced = Object.keys(value).find(isIndex);
  if (misplaced !== undefined) throw invalidParameter(misplaced);
  below.unknown.option ??= Object.keys(value).find((option) => !populateOptions.includes(option));
  return {
    ...plainField(name, parseNestedQuery(value, below)),
    countOnly: isWanted(value['count']),
    reversed: value['ordering'] === 'desc',
    on: parseFragments(value['on'], below),
  };
}

/** Parameters of lists that would be ignored below a relation. Strapi v4 has none of them. */
const ofLists = ['facets', 'fallbackLocale', 'aggregate', 'groupBy', 'having'];

function parseNestedQuery(value: Readonly<Record<string, unknown>>, context: Context): Query {
  const misplaced = ofLists.find((name) => value[name] !== undefined);
  if (misplaced !== undefined)
    throw validationError(`Invalid parameter ${misplaced}: populated relations do not have it, only lists`);
  return {
    ...emptyQuery,
    filter: value['filters'] === '' ? null : parseFilters(value['filters'], context.limits),
    sort: parseSort(value['sort'], context.limits),
    pagination: parseWindow(value),
    fields: parseFields(value['fields']),
    populate: parseLevel(value['populate'], { ...context, depth: context.depth + 1 }),
    publicationState: parsePublicationState(value['publicationState']),
    withTotal: false,
  };
}

/** Parses `start` and `limit`, which have no `pagination` around them in nested queries. A limit of -1 means no limit. */
function parseWindow(value: Readonly<Record<string, unknown>>): Pagination | null {
  refuseCursors(value);
  const start = parseWhole('start', value);
  const limit = parseWhole('limit', value);
  if (start === null && limit === null) return null;
  refuseMixedPagination(value);
  if (limit !== null && limit < -1) throw validationError('Invalid parameter limit: expected -1 or more');
  return { kind: 'offset', start: start ?? 0, limit: limit ?? -1, withCount: false };
}

/**
 * Returns the publication state; null if it is absent or empty. Throws a ValidationError for other values than `live` and
 * `preview`.
 */
export function parsePublicationState(value: unknown): PublicationState | null {
  if (value === undefined || value === null || value === '') return null;
  if (value === 'live' || value === 'preview') return value;
  throw validationError("Invalid parameter publicationState: expected 'live' or 'preview'");
}

function parseFragments(value: unknown, context: Context): ReadonlyMap<string, Query> | null {
  if (value === undefined) return null;
  if (!isRecord(value)) throw invalidParameter('on');
  const fragments = Object.entries(value).flatMap(([uid, fragment]) =>
    parseValue(uid, fragment, { ...context, path: `${context.path} ${uid}` }),
  );
  return new Map(fragments.map(({ key, query }) => [key, query]));
}

/**
 * Counts a relation, unless another path has named it, and returns the context below it. Throws a ValidationError if there are too many.
 */
function enter(name: string, context: Context): Context {
  const { relations, limits } = context;
  const path = `${context.path} ${name}`;
  relations.add(path);
  if (relations.size > limits.populateRelations)
    throw refusedBy(
      'api.limits.populateRelations',
      `Invalid parameter populate: more than ${String(limits.populateRelations)} relations`,
    );
  return { ...context, path };
}
