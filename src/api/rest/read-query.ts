import { BoundedCache } from '#base/caches.js';
import type { Config } from '#settings/config.js';
import type { EntryKey, Status } from '#content/meet-precondition.js';
import { invalidParameter, validationError } from '#base/errors.js';
import { parseQueryString, type QueryParameters, type QueryStringLimits } from '#http/query-string.js';
import type { Query } from '#model/query/ast.js';
import type { Limits } from '#model/query/bind-context.js';
import { markRepeated } from '#model/query/bind-plan.js';
import { parseEntryQuery, parseQuery } from '#model/query/parse-query.js';
import type { ContentType } from '#model/schema/content-type.js';
import { keepsDrafts } from '#model/schema/drafts-beside.js';

/**
 * Bounds of the cache. A parsed query takes about ten bytes for each character. Query strings that are longer than in most apps
 * are not cached.
 */
const bounds = { entries: 1_000, bytes: 4_000_000 };
const longestCached = 8_000;
const bytesPerCharacter = 10;

/**
 * Caches the queries that recent texts stand for, because apps send few different ones. A Query is immutable, so that its bindings can be
 * cached too.
 */
export class ParsedQueries {
  readonly #queries = new BoundedCache<Query>(bounds);

  /** Returns the query of a text, by `parse` unless it is known. Throws the errors of `parse`. */
  read(text: string, parse: () => Query): Query {
    const cached = this.#queries.get(text);
    if (cached !== undefined) return cached;
    const query = parse();
    if (text.length > longestCached) return query;
    const bytes = bytesPerCharacter * text.length;
    this.#queries.set(text, markRepeated(query, bytes), bytes);
    return query;
  }
}

/** Parses query strings. */
export class QueryCache {
  readonly #limits: Limits & QueryStringLimits;
  /** Lists and single entries have separate caches, because the same string is parsed differently for them. */
  readonly #lists = new ParsedQueries();
  readonly #entries = new ParsedQueries();

  constructor(limits: Limits & QueryStringLimits) {
    this.#limits = limits;
  }

  /** Parses the query of a list. Throws a ValidationError or PaginationError that names the parameter. */
  parse(query: QueryParameters): Query {
    return this.#read(query, parseQuery, this.#lists);
  }

  /** Parses the query of one entry. Throws a ValidationError that names the parameter. */
  parseEntry(query: QueryParameters): Query {
    return this.#read(query, parseEntryQuery, this.#entries);
  }

  #read(query: QueryParameters, parse: typeof parseQuery, cache: ParsedQueries): Query {
    if (typeof query !== 'string') return parse(query, this.#limits);
    return cache.read(query, () => parse(parseQueryString(query, this.#limits), this.#limits));
  }
}

/** Returns the value of a parameter beside those of a Query. Most requests have none, so the query string is not parsed for it. */
function optionOf(query: QueryParameters, name: 'explain' | 'format' | 'status'): unknown {
  if (typeof query !== 'string') return query[name];
  return query.includes(`${name}=`) ? new URLSearchParams(query).get(name) : null;
}

/** Returns whether a request gets flat entries: if `format` is `flat`, or by the setting unless `format` is `nested`. */
export function wantsFlat(query: QueryParameters, { api }: Pick<Config, 'api'>): boolean {
  const format = optionOf(query, 'format');
  return format === 'flat' || (api.rest.flatten && format !== 'nested');
}

/**
 * Returns whether a request asks how a list is read: by `explain=true`. Throws a ValidationError for other values than `true` and
 * `false`.
 */
export function asksToExplain(query: QueryParameters): boolean {
  const value = optionOf(query, 'explain');
  if (value === undefined || value === null || value === 'false') return false;
  if (value !== 'true') throw invalidParameter('explain');
  return true;
}

/** Throws a ValidationError if a request that reads neither a list nor groups asks how it is read. */
export function refuseToExplain(query: QueryParameters): void {
  if (asksToExplain(query)) throw validationError('Invalid parameter explain: only lists and groups are explained');
}

/**
 * Returns which one of an entry and the draft beside it a request is for, by the parameter `status`; null if it does not say so, or the
 * type has no such drafts. Throws a ValidationError for other values.
 */
export function statusOf(query: QueryParameters, type: ContentType): Status | null {
  const value = keepsDrafts(type) ? (optionOf(query, 'status') ?? null) : null;
  if (value === null || value === 'draft' || value === 'published') return value;
  throw validationError('Invalid parameter status: expected draft or published');
}

/** Throws a ValidationError for a delete that says which one of an entry and its draft it is for: it deletes both. */
export function refuseStatus(query: QueryParameters, type: ContentType): void {
  if (statusOf(query, type) !== null)
    throw validationError('Invalid parameter status: a delete is one of the entry and of its draft');
}

/**
 * Returns what an update says of the draft beside its entry. Throws a ValidationError for a draft with new files, since files are linked
 * to entries.
 */
export function writtenStatus(query: QueryParameters, type: ContentType, hasFiles: boolean): Pick<EntryKey, 'status'> {
  const status = statusOf(query, type);
  if (status === 'draft' && hasFiles)
    throw validationError('Invalid parameter status: a draft takes files that are uploaded before, by their ids');
  return status === null ? {} : { status };
}

/** Returns the query of a read, of drafts or of published entries if the status says which. */
export function inStatus(query: Query, status: Status | null): Query {
  if (status === null) return query;
  return status === 'draft'
    ? { ...query, publicationState: 'preview', showsDrafts: true }
    : { ...withoutDrafts(query), publicationState: 'live' };
}

function withoutDrafts(query: Query): Query {
  const { showsDrafts, ...live } = query;
  return showsDrafts === true ? live : query;
}
