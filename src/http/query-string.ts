import qs, { type defaultDecoder } from 'qs';
import { invalidParameter, validationError } from '../errors.js';
import type { Values } from '../values.js';
import type { QueryParameters } from './route-request.js';

/** Settings of `api.limits` that apply to query strings. */
export interface QueryStringLimits {
  readonly parameters: number;
  readonly queryDepth: number;
  readonly listValues: number;
}

/** Returns the query parameters of a request as an object. Throws a ValidationError as `parseQueryString` does. */
export const readParameters = (query: QueryParameters, limits: QueryStringLimits): Values =>
  typeof query === 'string' ? parseQueryString(query, limits) : query;

/**
 * Decodes a query string by the rules of Strapi v4. Throws a ValidationError for strings that Strapi v4 would flatten or
 * truncate: too many or too deep keys, long lists, and the key `__proto__`.
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
      // `populate[a][fields]=b&populate=a` is a list of both; otherwise the last one would replace the first
      strictMerge: true,
      plainObjects: true,
      ignoreQueryPrefix: true,
      decoder: decodePart,
    });
  } catch (error) {
    if (error instanceof RangeError) throw validationError(`Invalid query string: ${error.message}`);
    throw error;
  }
}

/**
 * Decodes a key or value. Throws a ValidationError for the key `__proto__`, because qs drops it silently and a filter must never
 * be lost.
 */
function decodePart(text: string, decode: defaultDecoder, charset: string, kind: 'key' | 'value'): string {
  const decoded = decode(text, undefined, charset);
  if (kind === 'key' && decoded.split(/[[\]]/).includes('__proto__')) throw invalidParameter('__proto__');
  return decoded;
}
