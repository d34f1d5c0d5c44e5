import type { Query } from '../query/ast.js';
import { parseQuery } from '../query/parse-query.js';
import type { Limits } from '../query/limits.js';
import { parseQueryString, type QueryStringLimits } from './parse-query-string.js';

/** Query strings longer than this are mostly unique and not kept. */
const longestKept = 2000;
const mostKept = 1000;

/**
 * Parses query strings, and keeps the last ones: apps send the same few again and again. A Query never changes, so that what is
 * bound from it can be kept as well.
 */
export class QueryCache {
  readonly #limits: Limits & QueryStringLimits;
  readonly #kept = new Map<string, Query>();

  constructor(limits: Limits & QueryStringLimits) {
    this.#limits = limits;
  }

  /** Throws a ValidationError or PaginationError that names the parameter. */
  parse(text: string): Query {
    const kept = this.#kept.get(text);
    if (kept !== undefined) return kept;
    const query = parseQuery(parseQueryString(text, this.#limits), this.#limits);
    if (text.length <= longestKept) this.#keep(text, query);
    return query;
  }

  #keep(text: string, query: Query): void {
    if (this.#kept.size >= mostKept) this.#kept.delete(this.#kept.keys().next().value ?? '');
    this.#kept.set(text, query);
  }
}
