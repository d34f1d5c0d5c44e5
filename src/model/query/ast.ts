import { componentsOf, type PartsAttribute } from '../schema/parts.js';
import type { BucketUnit } from './aggregate/buckets.js';
import type { Operator, Quantifier } from './operators.js';

/** A filter as the client wrote it: names are not looked up, values not cast. */
export type Filter =
  | { readonly kind: 'and' | 'or'; readonly filters: readonly Filter[] }
  | { readonly kind: 'not'; readonly filter: Filter }
  | { readonly kind: 'field'; readonly name: string; readonly filter: Filter }
  | { readonly kind: 'quantifier'; readonly quantifier: Quantifier; readonly filter: Filter }
  | { readonly kind: 'comparison'; readonly operator: Operator; readonly value: unknown }
  /** The entries of a list are near to a place, and the nearest come first. */
  | { readonly kind: 'near'; readonly value: unknown };

/** One sort key: a path of attribute names, through relations and components. */
export interface Sort {
  readonly path: readonly string[];
  /** The order as the client wrote it. `asc` and `desc` are valid, in any case. */
  readonly order: string;
}

/** The pages or offsets that the client asked for. Limits are applied when they are bound. */
export type Pagination =
  | { readonly kind: 'page'; readonly page: number; readonly pageSize: number | null; readonly withCount: boolean | null }
  | { readonly kind: 'offset'; readonly start: number; readonly limit: number | null; readonly withCount: boolean | null }
  | ({ readonly kind: 'cursor'; readonly limit: number | null; readonly withCount: boolean | null } & CursorDirection);

/** A cursor as the client sent it. */
export interface GivenCursor {
  readonly text: string;
  /** The name of its parameter. */
  readonly parameter: string;
}

/** The direction in which a page is read from a cursor. */
export interface CursorDirection {
  /** Null: from the beginning of the list, or backwards from its end. */
  readonly cursor: GivenCursor | null;
  /** Whether the page is what comes before the cursor. It is answered in the order of the list. */
  readonly backwards: boolean;
  /** Whether the answer says if there are entries on the other side of the cursor. */
  readonly looksBack: boolean;
}

/** Entries that something outside of the database has found. Those that the caller may not see are among them. */
export interface FoundEntries {
  /** The ids, of the best match first. */
  readonly ids: readonly number[];
  /** Whether there are more. */
  readonly isTruncated: boolean;
  /** The name of what has found them. */
  readonly by: string;
}

export type PublicationState = 'live' | 'preview';

/** An attribute by which entries are grouped, and the part of a date that counts; null if the whole value does. */
export interface KeyQuery {
  readonly path: readonly string[];
  readonly unit: BucketUnit | null;
}

/** A count of the entries of a list by a key. */
export interface FacetQuery {
  readonly key: KeyQuery;
  /** The lower bounds of ranges as they are written; null if entries are counted by value. */
  readonly ranges: readonly unknown[] | null;
  /** Whether the filter on the attribute of the key is left out. */
  readonly leavesOutOwn: boolean;
}

/** The request to populate one relation, component or dynamic zone. */
export interface PopulateField {
  readonly name: string;
  /** The key of the answer: the attribute's name in REST, the alias in GraphQL. */
  readonly key: string;
  readonly query: Query;
  /** Whether only the number of related entries is wanted (`populate[x][count]=true`). */
  readonly countOnly: boolean;
  /** Whether the stored order of the relation is reversed (`populate[x][ordering]=desc`). */
  readonly reversed: boolean;
  /** The query of each wanted component or type of a dynamic zone or morph relation; null if one query applies to all. */
  readonly on: ReadonlyMap<string, Query> | null;
}

/** What may be asked of a populated attribute over REST. */
export const populateOptions: readonly string[] = [
  ...['fields', 'filters', 'sort', 'start', 'limit', 'publicationState', 'populate', 'on', 'count', 'ordering'],
];

/** `all`: every first-level relation, media, component and dynamic zone, besides the fields that are named. */
export interface Populate {
  readonly all: boolean;
  readonly fields: readonly PopulateField[];
  /** The first option on any level that nothing reads, which is ignored, or refused in strict mode. */
  readonly unknownOption?: string;
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
  /** Whether private attributes are read too, except passwords. Only code reads entries like this, never a client. */
  readonly includePrivate?: boolean | undefined;
  readonly populate: Populate;
  readonly locale: string | readonly string[] | null;
  /** The locales whose entries take the place of missing ones, the first that has one. */
  readonly fallbackLocales: readonly string[] | null;
  readonly publicationState: PublicationState | null;
  /** Whether drafts beside published entries are read in the place of these; only with the publication state `preview`. */
  readonly showsDrafts?: true;
  readonly search: string | null;
  /** The entries that something outside of the database has found for `search`; absent if the database searches. */
  readonly foundEntries?: FoundEntries;
  /** Whether something outside of the database searches in the type, so that its order may be asked for even while the database searches. */
  readonly hasFinder?: true;
  /** Only lists have some. */
  readonly facets: readonly FacetQuery[];
  /** Whether the other locales of an entry are wanted (`meta.availableLocales`). */
  readonly withLocales: boolean;
  /** False where no total is wanted: single reads, relations. */
  readonly withTotal: boolean;
  /** Whether the versions of the entries of a list are wanted. Those of single entries are always read. */
  readonly withVersions?: true;
  /** GraphQL fields select from the entry, so that code around the read does not see `fields` and `populate`. */
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
  fallbackLocales: null,
  publicationState: null,
  search: null,
  facets: [],
  withLocales: false,
  withTotal: true,
};

/** Returns what populates an attribute by a query. `more` are parts that it has besides. */
export const fieldOf = (name: string, query: Query = emptyQuery, more: Partial<PopulateField> = {}): PopulateField => ({
  ...{ name, key: name, query, countOnly: false, reversed: false, on: null },
  ...more,
});

/** Returns what populates the components of an attribute; null if `below` returns null for all of them. */
export function partsField(attribute: PartsAttribute, below: (uid: string) => Query | null): PopulateField | null {
  const queries = componentsOf(attribute).map((uid) => [uid, below(uid)] as const);
  const on = new Map(queries.flatMap(([uid, query]) => (query === null ? [] : [[uid, query]])));
  if (queries.length > 0 && on.size === 0) return null;
  if (attribute.kind === 'dynamiczone') return fieldOf(attribute.name, emptyQuery, { on });
  return fieldOf(attribute.name, on.get(attribute.component));
}

/** Returns the filter on the places in a shape, below the name of a point. */
export const within = (shape: object): Filter => ({ kind: 'comparison', operator: 'within', value: shape });

/** Returns the filter that compares an attribute with a value. */
export const comparing = (name: string, operator: Operator, value: unknown): Filter => ({
  kind: 'field',
  name,
  filter: { kind: 'comparison', operator, value },
});
