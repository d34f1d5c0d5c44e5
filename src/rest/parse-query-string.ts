import qs, { type defaultDecoder } from 'qs';
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
  try {
    return qs.parse(text, {
      depth: limits.queryDepth,
      strictDepth: true,
      arrayLimit: limits.listValues,
      parameterLimit: limits.parameters,
      throwOnLimitExceeded: true,
      strictNullHandling: true,
      // `populate[a]=1&populate=b` is one object, as in the version of qs that Strapi v4 uses
      strictMerge: false,
      plainObjects: true,
      ignoreQueryPrefix: true,
      decoder: decodePart,
    });
  } catch (error) {
    if (error instanceof RangeError) throw validationError(`Invalid query string: ${error.message}`);
    throw error;
  }
}

/** qs leaves such keys out without a word, and a filter must never be dropped. */
function decodePart(text: string, decode: defaultDecoder, charset: string, kind: 'key' | 'value'): string {
  const decoded = decode(text, undefined, charset);
  if (kind === 'key' && decoded.split(/[[\]]/).includes('__proto__')) throw invalidParameter('__proto__');
  return decoded;
}
