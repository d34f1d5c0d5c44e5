import { isDeepStrictEqual } from 'node:util';
import { invalidParameter, validationError } from '../errors.js';
import {
  emptyQuery,
  noPopulate,
  type Pagination,
  type Populate,
  type PopulateField,
  type PublicationState,
  type Query,
} from './ast.js';
import { isRecord } from '../values.js';
import type { Limits } from './limits.js';
import { parseFields, parseSort, parseWhole, refuseMixedPagination } from './parse-list.js';
import { parseFilters } from './parse-filter.js';

/**
 * Parses `populate` in all its spellings: `*`, names, dotted paths, comma lists, lists of those, objects with nested fields,
 * filters, sort, start, limit, publicationState, populate, and `on` for dynamic zones. Names are looked up when it is bound.
 */
export function parsePopulate(input: unknown, limits: Limits): Populate {
  return parseLevel(input, { limits, relations: new Set(), path: '', depth: 1 });
}

interface Context {
  readonly limits: Limits;
  /** Paths of the relations so far. */
  readonly relations: Set<string>;
  /** Path of the relation whose level is parsed. */
  readonly path: string;
  readonly depth: number;
}

function parseLevel(input: unknown, context: Context): Populate {
  if (input === undefined || input === null || input === '') return noPopulate;
  if (context.depth > context.limits.populateDepth)
    throw validationError(`Invalid parameter populate: deeper than ${String(context.limits.populateDepth)} levels`);
  if (typeof input === 'string') return parseList(input.split(','), context);
  if (Array.isArray(input)) return parsePaths(input.flatMap(splitItem), context);
  if (!isRecord(input)) throw invalidParameter('populate');
  const fields = Object.entries(input).flatMap(([name, value]) => parseNamed(name, value, context));
  return { all: isWanted(input['*']), fields: mergeFields(fields) };
}

/** Parses a comma list. As in Strapi v4, `*` alone means everything, and is ignored beside other names. */
const parseList = (items: readonly string[], context: Context): Populate =>
  parsePaths(items.length === 1 ? items : items.filter((item) => item.trim() !== '*'), context);

function splitItem(item: unknown, index: number): string[] {
  if (typeof item !== 'string') throw invalidParameter(String(index));
  return item.split(',');
}

function parsePaths(items: readonly string[], context: Context): Populate {
  const paths = items.map((item) => item.trim()).filter((item) => item !== '');
  const fields = paths.filter((path) => path !== '*').map((path) => parsePath(path.split('.'), context));
  return { all: paths.includes('*'), fields: mergeFields(fields) };
}

function parsePath(path: readonly string[], context: Context): PopulateField {
  const [name = '', ...rest] = path;
  const below = enter(name, context);
  if (context.depth + rest.length > context.limits.populateDepth)
    throw validationError(`Invalid parameter populate: deeper than ${String(context.limits.populateDepth)} levels`);
  // as in Strapi v4, a `*` at the end of a path has no effect
  if (rest.length === 0 || (rest.length === 1 && rest[0] === '*')) return plainField(name, emptyQuery);
  const inner = parsePath(rest, { ...below, depth: context.depth + 1 });
  return plainField(name, { ...emptyQuery, populate: { all: false, fields: [inner] } });
}

/** Returns a field under its own name, without parameters. */
export const plainField = (name: string, query: Query): PopulateField => ({
  name,
  key: name,
  query: { ...query, withTotal: false },
  countOnly: false,
  reversed: false,
  on: null,
});

function parseNamed(name: string, value: unknown, context: Context): PopulateField[] {
  if (name === '*') return [];
  if (name.includes('.')) return [parsePath(name.split('.'), context)];
  if (isRecord(value)) return [parseObject(name, value, context)];
  if (Array.isArray(value)) throw invalidParameter(name);
  enter(name, context);
  return isWanted(value) ? [plainField(name, emptyQuery)] : [];
}

const isWanted = (value: unknown): boolean =>
  value === true || (typeof value === 'string' && !['', 'false', 'f', '0'].includes(value));

function parseObject(name: string, value: Readonly<Record<string, unknown>>, context: Context): PopulateField {
  const below = enter(name, context);
  const misplaced = Object.keys(value).find((key) => /^\d+$/.test(key));
  if (misplaced !== undefined) throw invalidParameter(misplaced);
  return {
    ...plainField(name, parseNestedQuery(value, below)),
    countOnly: isWanted(value['count']),
    reversed: value['ordering'] === 'desc',
    on: parseFragments(value['on'], below),
  };
}

function parseNestedQuery(value: Readonly<Record<string, unknown>>, context: Context): Query {
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
  const fragments = Object.entries(value).filter(([, fragment]) => isRecord(fragment) || isWanted(fragment));
  return new Map(
    fragments.map(([uid, fragment]) => [
      uid,
      isRecord(fragment)
        ? parseNestedQuery(fragment, { ...context, path: `${context.path} ${uid}` })
        : { ...emptyQuery, withTotal: false },
    ]),
  );
}

/** Counts a relation, unless another path has named it, and returns the context below it. Throws a ValidationError if there are too many. */
function enter(name: string, context: Context): Context {
  const { relations, limits } = context;
  const path = `${context.path} ${name}`;
  relations.add(path);
  if (relations.size > limits.populateRelations)
    throw validationError(`Invalid parameter populate: more than ${String(limits.populateRelations)} relations`);
  return { ...context, path };
}

/**
 * Merges fields of the same key (`seo`, `seo.image`) into one field with everything that is below either. Throws a
 * ValidationError if more than one of them has filters, a sort, a window or the like of its own.
 */
export function mergeFields(fields: readonly PopulateField[]): PopulateField[] {
  const byKey = new Map<string, PopulateField>();
  for (const field of fields) {
    const same = byKey.get(field.key);
    byKey.set(field.key, same === undefined ? field : mergeTwo(same, field));
  }
  return [...byKey.values()];
}

function mergeTwo(first: PopulateField, second: PopulateField): PopulateField {
  const [plain, field] = isPlain(first) ? [first, second] : [second, first];
  if (!isPlain(plain)) throw validationError(`Invalid parameter populate: ${field.name} is described more than once`);
  const populate: Populate = {
    all: plain.query.populate.all || field.query.populate.all,
    fields: mergeFields([...first.query.populate.fields, ...second.query.populate.fields]),
  };
  return { ...field, query: { ...field.query, populate } };
}

/** Returns whether the field has no other parameter than `populate`. */
const isPlain = (field: PopulateField): boolean =>
  isDeepStrictEqual(field, plainField(field.name, { ...emptyQuery, populate: field.query.populate }));
