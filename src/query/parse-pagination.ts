import { paginationError, validationError } from '../errors.js';
import type { Pagination } from './ast.js';
import { isRecord } from './is-record.js';

const pageKeys = ['page', 'pageSize'] as const;
const offsetKeys = ['start', 'limit'] as const;
const yes = ['true', 't', '1'];
const no = ['false', 'f', '0'];

/**
 * Parses `pagination[...]` (rest.md 4.4). Figures are taken as they are; limits are applied when the query is bound.
 * Throws a ValidationError for mixed modes, figures that are not whole numbers, and a `withCount` that is neither yes nor no.
 */
export function parsePagination(input: unknown): Pagination | null {
  if (!isRecord(input)) return null;
  const withCount = parseWithCount(input['withCount']);
  const offset = offsetKeys.some((key) => input[key] !== undefined);
  if (offset && pageKeys.some((key) => input[key] !== undefined))
    throw validationError('Invalid pagination parameters. Expected either start/limit or page/pageSize');
  if (offset) return { kind: 'offset', start: parseWhole('start', input) ?? 0, limit: parseWhole('limit', input), withCount };
  return { kind: 'page', page: parseWhole('page', input) ?? 1, pageSize: parseWhole('pageSize', input), withCount };
}

/** Refuses the third version's top-level figures, which would otherwise be ignored without a word. */
export function refuseTopLevelPagination(input: Readonly<Record<string, unknown>>): void {
  if ([...pageKeys, ...offsetKeys].some((key) => input[key] !== undefined))
    throw paginationError('Invalid pagination attributes. You cannot use page and offset pagination in the same query');
}

/** A whole number, empty text being 0; null where the key is absent. */
export function parseWhole(key: string, input: Readonly<Record<string, unknown>>): number | null {
  const value = input[key];
  if (value === undefined) return null;
  const figure = typeof value === 'string' || typeof value === 'number' ? Number(value) : NaN;
  if (!Number.isInteger(figure)) throw validationError(`Invalid parameter ${key}: expected a whole number`);
  return figure;
}

function parseWithCount(value: unknown): boolean | null {
  if (value === undefined) return null;
  const word = typeof value === 'object' ? '' : String(value);
  if (yes.includes(word)) return true;
  if (no.includes(word)) return false;
  throw validationError('Invalid withCount parameter. Expected "t","1","true","false","0","f"');
}
