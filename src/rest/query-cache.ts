import qs, { type defaultDecoder } from 'qs';
import { BoundedCache } from '../caches.js';
import { invalidParameter, validationError } from '../errors.js';
import type { Query } from '../query/ast.js';
import type { Limits } from '../query/limits.js';
import { markRepeated } from '../query/bind-plan.js';
import { parseEntryQuery, parseQuery } from '../query/parse-query.js';

/** A parsed query takes about ten bytes for each character of its text. Texts that are longer than those of most apps are not cached. */
const bounds = { entries: 1_000, bytes: 4_000_000 };
const longestCached = 8_000;
const bytesPerCharacter = 10;

/**
 * Parses query strings, and caches the last ones: apps send the same few again and again. A Query is immutable, so that its bindings
 * can be cached as well.
 */
export class QueryCache {
  readonly #limits: Limits & QueryStringLimits;
  /** One text has two queries: that of a list, and that of one entry. */
  readonly #lists = new BoundedCache<Query>(bounds);
  readonly #entries = new BoundedCache<Query>(bounds);

  constructor(limits: Limits & QueryStringLimits) {
    this.#limits = limits;
  }

  /** Parses the query of a list. Throws a ValidationError or PaginationError that names the parameter. */
  parse(text: string): Query {
    return this.#read(text, parseQuery, this.#lists);
  }

  /** Parses the query of one entry. Throws a ValidationError that names the parameter. */
  parseEntry(text: string): Query {
    return this.#read(text, parseEntryQuery, this.#entries);
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

/**
 * Decodes a query string with Strapi v4's rules, but refuses strings that it would fold or truncate: too many or too deep keys,
 * long lists, and the key `__proto__`. Throws a ValidationError.
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

/** qs leaves such keys out silently, and a filter must never be dropped. */
function decodePart(text: string, decode: defaultDecoder, charset: string, kind: 'key' | 'value'): string {
  const decoded = decode(text, undefined, charset);
  if (kind === 'key' && decoded.split(/[[\]]/).includes('__proto__')) throw invalidParameter('__proto__');
  return decoded;
}
