import type { TypeShape } from './entry.js';

type Names<T> = Extract<keyof T, string>;

export type FieldName<T extends TypeShape> = 'id' | '*' | Names<T['values']>;

/** The type that a link leads to. */
export type TargetOf<Link> = Link extends
  { one: infer T } | { many: infer T } | { files: infer T } | { part: infer T } | { parts: infer T }
  ? Extract<T, TypeShape>
  : never;

type Order = 'asc' | 'desc';
type Ordered<Path extends string> = Path | `${Path}:${Order}`;
type PathBelow<Links> = { [Name in Names<Links>]: `${Name}.${SortName<TargetOf<Links[Name]>>}` }[Names<Links>];
export type SortName<T extends TypeShape> = 'id' | Names<T['values']>;

/** A path to sort by: `title`, `title:desc`, `author.name`. */
type SortPath<T extends TypeShape> = Ordered<SortName<T> | PathBelow<T['links']>>;
/** Attributes to sort by, as an object: `{ author: { country: { name: 'asc' } } }`. */
type SortTree<T extends TypeShape> = { readonly [Name in SortName<T>]?: Order } & {
  readonly [Name in keyof T['links']]?: SortTree<TargetOf<T['links'][Name]>>;
};
export type Sort<T extends TypeShape> = SortPath<T> | SortTree<T> | readonly SortPath<T>[] | readonly SortTree<T>[];

export type Populate<T extends TypeShape> = '*' | Names<T['links']> | readonly ('*' | Names<T['links']>)[] | PopulateTree<T>;

type PopulateTree<T extends TypeShape> = { readonly [Name in keyof T['links']]?: boolean | PopulateLink<T['links'][Name]> };

type PopulateLink<Link> = Link extends { zone: infer T extends TypeShape }
  ? PopulateZone<T>
  : Link extends { target: unknown } | { targets: unknown }
    ? { readonly populate?: '*' }
    : NestedQuery<TargetOf<Link>>;

interface NestedQuery<T extends TypeShape> {
  readonly fields?: FieldName<T> | readonly FieldName<T>[];
  readonly filters?: T['filters'];
  readonly sort?: Sort<T>;
  readonly start?: number;
  readonly limit?: number;
  readonly count?: boolean;
  readonly populate?: Populate<T>;
}

interface PopulateZone<T extends TypeShape> {
  readonly populate?: '*' | readonly LinksOfAny<T>[];
  /** Selections by the uid of the component. */
  readonly on?: { readonly [Part in T as Part['uid']]?: boolean | NestedQuery<Part> };
}

/** Names of the links of any of several types. */
type LinksOfAny<T> = T extends TypeShape ? Names<T['links']> : never;

type KeysOf<Allowed> = Allowed extends readonly unknown[] ? never : Allowed extends object ? keyof Allowed : never;
type At<Allowed, Key> = Allowed extends object ? (Key extends keyof Allowed ? Allowed[Key] : never) : never;

/**
 * Forbids keys that the allowed type does not have; `unknown` if nothing needs to be forbidden. Lists and strings need no check.
 * A union with a list is not checked either, because it is a constraint and not a query.
 */
export type Exact<Given, Allowed> = Given extends object
  ? Given extends readonly unknown[]
    ? unknown
    : { [Key in keyof Given]: Key extends KeysOf<Allowed> ? Exact<Given[Key], At<Allowed, Key>> : never }
  : unknown;

/** Parameters that select attributes, relations and the locale of an entry. */
export interface EntryQuery<T extends TypeShape, P extends Populate<T>, F extends FieldName<T>> {
  readonly fields?: F | readonly F[];
  readonly populate?: P & Exact<P, Populate<T>>;
  readonly locale?: string;
}

/** The locales whose entries take the place of missing ones, the first that has one. */
export interface Fallback {
  readonly fallbackLocale?: string | readonly string[];
}

export type State = 'live' | 'preview';

export type Status = 'draft' | 'published';

/** Which one of an entry and the draft beside it a write is for; of types with `options.drafts` alone. */
export interface InStatus<T extends TypeShape, W extends Status> {
  readonly status?: T extends { readonly drafts: 'beside' } ? W : never;
}

/** The publication state that answers to such a write have. */
export type StateOf<W extends Status> = W extends 'draft' ? 'preview' : 'live';

/** Parameters of pagination: a page and its size, a start and a limit, or a cursor and a limit. */
export interface Paging extends CursorPaging {
  readonly page?: number;
  readonly start?: number;
  /** Whether the answer has cursors, if there is none in the parameters. */
  readonly cursors?: boolean;
  readonly before?: string;
}

/** Parameters of pages that are read one after the other. */
export interface CursorPaging {
  readonly limit?: number;
  readonly pageSize?: number;
  /** A cursor, behind which the first page begins. */
  readonly after?: string;
  readonly withCount?: boolean;
}

export interface ListQuery<T extends TypeShape, P extends Populate<T>, F extends FieldName<T>, S extends State, G extends Paging>
  extends EntryQuery<T, P, F>, Fallback {
  readonly filters?: T['filters'];
  readonly sort?: Sort<T>;
  readonly pagination?: G & Exact<G, Paging>;
  /** `preview` includes drafts. */
  readonly publicationState?: S;
  /** Text to search for. */
  readonly _q?: string;
}

/** The type of the pagination in an answer. */
export type PagingOf<G> = (G extends AtCursor
  ? CursorsOfPage
  : G extends AtOffset
    ? { start: number; limit: number }
    : { page: number; pageSize: number }) &
  (G extends { readonly withCount: false } ? unknown : Counted<G>);

type AtCursor = { readonly cursors: true } | { readonly after: string } | { readonly before: string };
type AtOffset = { readonly start: number } | { readonly limit: number };

type Counted<G> = { total: number } & (G extends AtCursor | AtOffset ? unknown : { pageCount: number });

interface CursorsOfPage {
  limit: number;
  /** The cursors of the first and the last entry; null if there are none. */
  cursors: { start: string | null; end: string | null };
  hasNext: boolean;
  hasPrevious: boolean;
}

/** Returns a query string: `?filters[title][$eq]=x`, percent-encoded, for `{ filters: { title: { $eq: 'x' } } }`. */
export function writeQuery(query: object): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => pairsOf(name, value));
  return pairs.length === 0 ? '' : `?${pairs.map(([key, value]) => `${encode(key)}=${encode(value)}`).join('&')}`;
}

const encode = encodeURIComponent;

type Pair = readonly [key: string, value: string];

function pairsOf(key: string, value: unknown): Pair[] {
  if (value === undefined) return [];
  if (value instanceof Date) return [[key, value.toISOString()]];
  if (typeof value !== 'object' || value === null) return [[key, String(value)]];
  const entries: readonly (readonly [string, unknown])[] = Object.entries(value);
  const pairs = entries.flatMap(([name, inner]) => pairsOf(`${key}[${name}]`, inner));
  if (pairs.length > 0) return pairs;
  if (isPopulated.test(key)) return [[key, 'true']];
  return isListed.test(key) ? noneOf(key) : [];
}

/** A relation that is populated without a selection of its own: `populate: { author: {} }`. */
const isPopulated = /(^populate|\[populate]|\[on])\[[^\]]*]$/;

/** An operator with an empty list, which no value meets; each value meets `$notIn`. */
const isListed = /\[\$(?!and]|or]|not]|notIn]|notNull])\w+]$/;

/** Returns a condition that no entry meets. Without it the filter would match all entries. */
function noneOf(key: string): Pair[] {
  const attribute = key.replace(isListed, '');
  return ['$null', '$notNull'].map((operator) => [`${attribute}[${operator}]`, 'true']);
}
