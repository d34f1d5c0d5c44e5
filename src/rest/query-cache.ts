import { BoundedCache } from '../bounded-cache.js';
import type { Query } from '../query/ast.js';
import { parseEntryQuery, parseQuery } from '../query/parse-query.js';
import { markRepeated } from '../query/memoize-binding.js';
import type { Limits } from '../query/limits.js';
import { parseQueryString, type QueryStringLimits } from './parse-query-string.js';

/** A parsed query takes about ten bytes for each character of its text. Texts of over 2,000 characters, mostly unique, are not kept. */
const bounds = { entries: 1_000, bytes: 4_000_000 };
const longestKept = 2_000;
const bytesPerCharacter = 10;

/**
 * Parses query strings, and keeps the last ones: apps send the same few again and again. A Query never changes, so that what is
 * bound from it can be kept as well.
 */
export class QueryCache {
  readonly #limits: Limits & QueryStringLimits;
  readonly #kept = new BoundedCache<Query>(bounds);

  constructor(limits: Limits & QueryStringLimits) {
    this.#limits = limits;
  }

  /** Parses the query of a list. Throws a ValidationError or PaginationError that names the parameter. */
  parse(text: string): Query {
    return this.#read(text, text, parseQuery);
  }

  /** Parses the query of one entry. Throws a ValidationError that names the parameter. */
  parseEntry(text: string): Query {
    return this.#read(text, `entry?${text}`, parseEntryQuery);
  }

  #read(text: string, key: string, parse: typeof parseQuery): Query {
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    const query = parse(parseQueryString(text, this.#limits), this.#limits);
    if (text.length > longestKept) return query;
    const bytes = bytesPerCharacter * text.length;
    this.#kept.set(key, markRepeated(query, bytes), bytes);
    return query;
  }
}
