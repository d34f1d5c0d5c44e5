import qs, { type defaultDecoder } from 'qs';
import { BoundedCache } from '../caches.js';
import { invalidParameter, validationError } from '../errors.js';
import type { QueryParameters } from '../http/route-request.js';
import type { Query } from '../query/ast.js';
import type { Limits } from '../query/limits.js';
import { markRepeated } from '../query/bind-plan.js';
import { parseEntryQuery, parseQuery } from '../query/parse-query.js';
import type { Values } from '../values.js';

/**
 * Bounds of the cache. A parsed query takes about ten bytes for each character. Query strings that are longer than in most apps
 * are not cached.
 */
const bounds = { entries: 1_000, bytes: 4_000_000 };
const longestCached = 8_000;
const bytesPerCharacter = 10;

/**
 * Parses query strings and caches recent ones, because apps send few different ones. A Query is immutable, so that its bindings
 * can be cached too.
 */
export class QueryCache {
  readonly #limits: Limits & QueryStringLimits;
  /** Lists and single entries have separate caches, because the same string is parsed differently for them. */
  readonly #lists = new BoundedCache<Query>(bounds);
  readonly #entries = new BoundedCache<Query>(bounds);

  constructor(limits: Limits & QueryStringLimits) {
    this.#limits = limits;
  }

  /** Parses the query of a list. Throws a ValidationError or PaginationError that names the parameter. */
  parse(query: QueryParameters): Query {
    return typeof query === 'string' ? this.#read(query, parseQuery, this.#lists) : parseQuery(query, this.#limits);
  }

  /** Parses the query of one entry. Throws a ValidationError that names the parameter. */
  parseEntry(query: QueryParameters): Query {
    return typeof query === 'string' ? this.#read(query, parseEntryQuery, this.#entries) : parseEntryQuery(query, this.#limits);
  }

  #read(text: string, parse: typeof parseQuery, cache: BoundedCache<Query>): Query {
    const cached = cache.get(text);
    if (cached !== undefined) return cached;
    const query = parse(parseQueryString(text, this.#limits), this.#limits);
    if (text.length > longestCached) return query;
    const bytes = bytesPerCharacter * text.length;
    cache.set(text, markRepeated(query, bytes), bytes);
    return query;
  }
}

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
