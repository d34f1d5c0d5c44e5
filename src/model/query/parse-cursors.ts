import { invalidParameter, validationError } from '#base/errors.js';
import { isRecord, type Values } from '#base/values.js';
import type { GivenCursor, Pagination } from './ast.js';
import { flagOf, parseWhole, parseWithCount } from './parse-list.js';

/** Maximum number of characters of a cursor. Those that the service makes are shorter. */
const longestCursor = 6_000;

const cursorKeys = ['after', 'before', 'cursors'] as const;

/** Keys of other paginations, which have no meaning beside a cursor. */
const otherKeys = ['page', 'start'] as const;

const named = (key: string): string => `pagination[${key}]`;

/** Throws a ValidationError if a request, or a populated relation, that cannot have cursors has a parameter of them. */
export function refuseCursors({ pagination }: Values): void {
  const key = isRecord(pagination) ? cursorKeys.find((name) => pagination[name] !== undefined) : undefined;
  if (key !== undefined) throw validationError(`Invalid parameter ${named(key)}: only lists of content types have cursors`);
}

/**
 * Parses the parameters of a page by cursors: `after`, `before`, or `cursors` for the first page, with `limit` or `pageSize`. Returns
 * null if the request has none of them. Throws a ValidationError that names a parameter that does not go with the others.
 */
export function parseCursors(input: unknown): Pagination | null {
  if (!isRecord(input) || cursorKeys.every((key) => input[key] === undefined)) return null;
  const cursor = parseGivenCursor(input);
  const isWanted = input['cursors'] === undefined ? cursor !== null : flagOf(input['cursors']);
  if (isWanted === null || (cursor !== null && !isWanted)) throw invalidParameter(named('cursors'));
  if (!isWanted) return null;
  for (const key of otherKeys) if (input[key] !== undefined) throw unfit(key, 'cursors');
  if (input['limit'] !== undefined && input['pageSize'] !== undefined) throw unfit('pageSize', named('limit'));
  const limit = parseWhole('limit', input) ?? parseWhole('pageSize', input);
  return {
    kind: 'cursor',
    cursor,
    backwards: input['before'] !== undefined,
    looksBack: true,
    limit: limit === 0 ? 1 : limit, // as in other lists over REST
    withCount: parseWithCount(input['withCount']),
  };
}

function parseGivenCursor({ after, before }: Values): GivenCursor | null {
  if (after !== undefined && before !== undefined) throw unfit('before', named('after'));
  if (after !== undefined) return checkedCursor(after, named('after'));
  return before === undefined ? null : checkedCursor(before, named('before'));
}

const unfit = (key: string, other: string): Error =>
  validationError(`Invalid parameter ${named(key)}: it cannot be combined with ${other}`);

/** Returns a cursor that may be valid. Throws a ValidationError that names the parameter otherwise. */
export function checkedCursor(text: unknown, parameter: string): GivenCursor {
  if (typeof text !== 'string' || text === '' || text.length > longestCursor) throw invalidParameter(parameter);
  return { text, parameter };
}
