import { refusedBy } from '#base/limits/exceeded.js';
import { type ApiError, invalidParameter, paginationError, validationError } from '#base/errors.js';
import type { Pagination, Sort } from './ast.js';
import { isRecord, type Values } from '#base/values.js';
import type { Limits } from './bind-context.js';

/** Parses `fields`: items as written, each a name or a comma list of names; `*` and absence mean all, returned as null. */
export function parseFields(input: unknown): string[] | null {
  if (input === undefined) return null;
  const items: readonly unknown[] = Array.isArray(input) ? input : [input];
  const written = items.map((item) => {
    if (typeof item !== 'string' || item === '') throw invalidParameter('fields');
    return item;
  });
  return written.some((item) => namesIn(item).includes('*')) ? null : [...new Set(written)];
}

/** Returns the names that an item of `fields` lists. */
export const namesIn = (item: string): string[] => item.split(',').map((name) => name.trim());

/**
 * Parses `sort` in all its spellings: `a:desc,b`, lists of those, `{ author: { name: 'desc' } }`, lists of objects, and mixtures.
 * The order word is checked when the path is bound, so that an unknown name is reported first.
 */
export function parseSort(input: unknown, limits: Limits): Sort[] {
  const keys = parseKeys(input, limits);
  if (keys.some(isNameless)) throw invalidParameter('sort');
  return keys;
}

/** Does the same for one entry, where a sort has no effect: as in Strapi v4, keys without a name are ignored. */
export const parseUnusedSort = (input: unknown, limits: Limits): Sort[] =>
  parseKeys(input, limits).filter((key) => !isNameless(key));

const isNameless = ({ path }: Sort): boolean => path.includes('');

function parseKeys(input: unknown, limits: Limits): Sort[] {
  if (input === undefined || input === null) return [];
  const keys =
    typeof input === 'object' ? Object.entries(input).flatMap(([key, item]) => parseEntry(key, item)) : parseItem(input, []);
  if (keys.length > limits.sortKeys)
    throw refusedBy('api.limits.sortKeys', `Invalid parameter sort: more than ${String(limits.sortKeys)} keys`);
  if (keys.some(({ path }) => path.length > longestPath))
    throw validationError(`Invalid parameter sort: a key of more than ${String(longestPath)} names`);
  return keys;
}

/** Maximum number of names in a path. MongoDB allows 200. */
const longestPath = 100;

/**
 * Parses an item of a list or an entry of an object. A query string that mixes forms is decoded to either: `sort=a&sort[b]=desc` to
 * `['a', { b: 'desc' }]`, and `sort[0]=a&sort[b]=desc` to `{ 0: 'a', b: 'desc' }`.
 */
function parseEntry(key: string, item: unknown): Sort[] {
  if (!/^\d+$/.test(key)) return parseNamed(key, item, []);
  if (typeof item !== 'string' && !isRecord(item)) throw invalidParameter(key);
  return parseItem(item, []);
}

function parseItem(item: unknown, path: readonly string[]): Sort[] {
  if (isRecord(item)) return Object.entries(item).flatMap(([name, value]) => parseNamed(name, value, path));
  if (typeof item !== 'string') throw invalidParameter('sort');
  return item
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(parseText);
}

function parseNamed(name: string, value: unknown, path: readonly string[]): Sort[] {
  const inner = [...path, ...name.split('.')];
  if (isRecord(value)) return parseItem(value, inner);
  if (Array.isArray(value)) throw invalidParameter(name);
  return [{ path: inner, order: String(value ?? 'asc') }];
}

function parseText(text: string): Sort {
  const [path = '', order = 'asc'] = text.split(':');
  return { path: path.split('.').map((name) => name.trim()), order: order.trim() || 'asc' };
}

const pageKeys = ['page', 'pageSize'] as const;
const offsetKeys = ['start', 'limit'] as const;
const yes = ['true', 't', '1'];
const no = ['false', 'f', '0'];

/**
 * Parses `pagination[...]`. Limits are applied when the query is bound. Throws a ValidationError for mixed modes, numbers that
 * are not whole, and a `withCount` that is not a boolean.
 */
export function parsePagination(input: unknown): Pagination | null {
  if (!isRecord(input)) return null;
  const withCount = parseWithCount(input['withCount']);
  const offset = hasOffset(input);
  if (offset && hasPages(input))
    throw validationError('Invalid pagination parameters. Expected either start/limit or page/pageSize');
  if (offset) return { kind: 'offset', start: parseWhole('start', input) ?? 0, limit: parseWhole('limit', input), withCount };
  return { kind: 'page', page: parseWhole('page', input) ?? 1, pageSize: parseWhole('pageSize', input), withCount };
}

/** Refuses the top-level parameters of Strapi v3, which would otherwise be silently ignored. */
export function refuseTopLevelPagination(input: Values): void {
  if (hasPages(input) || hasOffset(input)) throw mixedPagination();
}

/** Throws a PaginationError for `page` or `pageSize` beside `start` or `limit`, as top-level parameters or in a populated relation. */
export function refuseMixedPagination(input: Values): void {
  if (hasPages(input) && hasOffset(input)) throw mixedPagination();
}

const hasPages = (input: Values): boolean => pageKeys.some((key) => input[key] !== undefined);
const hasOffset = (input: Values): boolean => offsetKeys.some((key) => input[key] !== undefined);

const mixedPagination = (): ApiError =>
  paginationError('Invalid pagination attributes. You cannot use page and offset pagination in the same query');

/**
 * Returns the whole number under a key, 0 for an empty string; null if the key is absent. Throws a ValidationError for other
 * values.
 */
export function parseWhole(key: string, input: Values): number | null {
  const value = input[key];
  if (value === undefined) return null;
  const figure = typeof value === 'string' || typeof value === 'number' ? Number(value) : NaN;
  if (!Number.isInteger(figure)) throw validationError(`Invalid parameter ${key}: expected a whole number`);
  return figure;
}

/** Returns whether the total is wanted; null if the request does not say. Throws a ValidationError for other values than flags. */
export function parseWithCount(value: unknown): boolean | null {
  if (value === undefined) return null;
  const flag = flagOf(value);
  if (flag === null) throw validationError('Invalid withCount parameter. Expected "t","1","true","false","0","f"');
  return flag;
}

/** Returns the value of a flag; null for other values. */
export function flagOf(value: unknown): boolean | null {
  const word = typeof value === 'object' ? '' : String(value);
  if (yes.includes(word)) return true;
  return no.includes(word) ? false : null;
}
