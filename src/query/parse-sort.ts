import { invalidParameter, validationError } from '../errors.js';
import type { Sort } from './ast.js';
import { isRecord } from './is-record.js';
import type { Limits } from './limits.js';

/**
 * Parses `sort` in all its spellings (rest.md 4.3): `a:desc,b`, lists of those, `{ author: { name: 'desc' } }`, lists of objects.
 * The order word is checked when the path is bound, so that an unknown name is reported first.
 */
export function parseSort(input: unknown, limits: Limits): Sort[] {
  if (input === undefined || input === null) return [];
  const keys = Array.isArray(input) ? parseList(input) : parseItem(input, []);
  if (keys.length > limits.sortKeys) throw validationError(`Invalid parameter sort: more than ${String(limits.sortKeys)} keys`);
  if (keys.some(({ path }) => path.length > longestPath))
    throw validationError(`Invalid parameter sort: a key of more than ${String(longestPath)} names`);
  return keys;
}

/** Names of a path; MongoDB takes 200. */
const longestPath = 100;

function parseList(items: readonly unknown[]): Sort[] {
  if (items.some(isRecord) && items.some((item) => typeof item === 'string')) throw invalidParameter('0');
  return items.flatMap((item, index) => {
    if (typeof item !== 'string' && !isRecord(item)) throw invalidParameter(String(index));
    return parseItem(item, []);
  });
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
  return { path: path.trim().split('.'), order: order.trim() };
}
