import qs from 'qs';
import { invalidParameter, validationError } from '../errors.js';

/** Figures of `api.limits` that the query string alone decides. */
export interface QueryStringLimits {
  readonly parameters: number;
  readonly queryDepth: number;
  readonly listValues: number;
}

/**
 * Decodes a query string with the reference's rules (rest.md 4.1), but refuses what it would fold or drop: too many or too deep
 * keys, long lists, and keys that mean something to JavaScript. Throws a ValidationError.
 */
export function parseQueryString(text: string, limits: QueryStringLimits): Readonly<Record<string, unknown>> {
  if (text === '') return {};
  if (/__proto__/.test(text) || /%5F|%70%72/i.test(text)) refusePrototypeKeys(text);
  try {
    return qs.parse(text, {
      depth: limits.queryDepth,
      strictDepth: true,
      arrayLimit: limits.listValues,
      parameterLimit: limits.parameters,
      throwOnLimitExceeded: true,
      strictNullHandling: true,
      plainObjects: true,
      ignoreQueryPrefix: true,
    });
  } catch (error) {
    if (error instanceof RangeError) throw validationError(`Invalid query string: ${error.message}`);
    throw error;
  }
}

/** qs leaves such keys out without a word, and a filter must never be dropped. */
function refusePrototypeKeys(text: string): void {
  for (const pair of text.split('&')) {
    const key = decode(pair.split('=', 1)[0] ?? '');
    if (key.split(/[[\]]/).includes('__proto__')) throw invalidParameter('__proto__');
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
