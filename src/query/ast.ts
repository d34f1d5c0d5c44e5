import type { Operator } from './operators.js';

/** A filter as the client wrote it: names are not looked up, values not cast. */
export type Filter =
  | { readonly kind: 'and' | 'or'; readonly filters: readonly Filter[] }
  | { readonly kind: 'not'; readonly filter: Filter }
  | { readonly kind: 'field'; readonly name: string; readonly filter: Filter }
  | { readonly kind: 'comparison'; readonly operator: Operator; readonly value: unknown };

/** One sort key: a path of attribute names, through relations and components. */
export interface Sort {
  readonly path: readonly string[];
  /** As written; asc and desc in any case are orders. */
  readonly order: string;
}

/** Pages or offsets, as asked for; limits are applied when it is bound. */
export type Pagination =
  | { readonly kind: 'page'; readonly page: number; readonly pageSize: number | null; readonly withCount: boolean | null }
  | { readonly kind: 'offset'; readonly start: number; readonly limit: number | null; readonly withCount: boolean | null };

export type PublicationState = 'live' | 'preview';

/** The request to populate one relation, component or dynamic zone. */
export interface PopulateField {
  readonly name: string;
  /** The key of the answer: the attribute's name in REST, the alias in GraphQL. */
  readonly key: string;
  readonly query: Query;
  /** Only the number of related entries is wanted (`populate[x][count]=true`). */
  readonly countOnly: boolean;
  /** The stored order of the relation backwards (`populate[x][ordering]=desc`). */
  readonly reversed: boolean;
  /** Dynamic zones and morph relations: a query for each component or type that is wanted; null if one query is for all. */
  readonly on: ReadonlyMap<string, Query> | null;
}

/** `all`: every first-level relation, media, component and dynamic zone, besides the fields that are named. */
export interface Populate {
  readonly all: boolean;
  readonly fields: readonly PopulateField[];
}

/**
 * The query of a client before it is bound. REST query strings and GraphQL arguments are both parsed to it. Absent parts are
 * null.
 */
export interface Query {
  readonly filter: Filter | null;
  readonly sort: readonly Sort[];
  readonly pagination: Pagination | null;
  /** Names, or comma lists of names as they were written. Null: all attributes. */
  readonly fields: readonly string[] | null;
  /** Code of the service reads the entry, not the client: with all attributes come the private ones, passwords never. */
  readonly includePrivate?: boolean | undefined;
  readonly populate: Populate;
  readonly locale: string | readonly string[] | null;
  readonly publicationState: PublicationState | null;
  readonly search: string | null;
  /** Whether the locales that an entry is also there in are wanted (`meta.availableLocales`). */
  readonly withLocales: boolean;
  /** False where no total is wanted: single reads, relations. */
  readonly withTotal: boolean;
  /** Fields of GraphQL select from the entry: code around the read has nothing to do with `fields` and `populate`. */
  readonly isForFields?: true;
}

export const noPopulate: Populate = { all: false, fields: [] };

export const emptyQuery: Query = {
  filter: null,
  sort: [],
  pagination: null,
  fields: null,
  populate: noPopulate,
  locale: null,
  publicationState: null,
  search: null,
  withLocales: false,
  withTotal: true,
};
