import type { TypeShape } from './entry.js';

type Names<T> = Extract<keyof T, string>;

export type FieldName<T extends TypeShape> = 'id' | '*' | Names<T['values']>;

/** Where a link leads to. */
type TargetOf<Link> = Link extends
  { one: infer T } | { many: infer T } | { files: infer T } | { part: infer T } | { parts: infer T }
  ? Extract<T, TypeShape>
  : never;

type Order = 'asc' | 'desc';
type Ordered<Path extends string> = Path | `${Path}:${Order}`;
type PathBelow<Links> = { [Name in Names<Links>]: `${Name}.${SortName<TargetOf<Links[Name]>>}` }[Names<Links>];
type SortName<T extends TypeShape> = 'id' | Names<T['values']>;

/** `title`, `title:desc`, `author.name`. */
type SortPath<T extends TypeShape> = Ordered<SortName<T> | PathBelow<T['links']>>;
/** `{ author: { country: { name: 'asc' } } }`. */
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
  /** By the uid of the component. */
  readonly on?: { readonly [Part in T as Part['uid']]?: boolean | NestedQuery<Part> };
}

/** Names of the links of one of several types. */
type LinksOfAny<T> = T extends TypeShape ? Names<T['links']> : never;

type KeysOf<Allowed> = Allowed extends readonly unknown[] ? never : Allowed extends object ? keyof Allowed : never;
type At<Allowed, Key> = Allowed extends object ? (Key extends keyof Allowed ? Allowed[Key] : never) : never;

/**
 * Forbids keys that the allowed type does not have; `unknown` if there is nothing to forbid. Lists and strings need no check.
 * A union with a list is not checked either, since it is a constraint and not a query.
 */
type Exact<Given, Allowed> = Given extends object
  ? Given extends readonly unknown[]
    ? unknown
    : { [Key in keyof Given]: Key extends KeysOf<Allowed> ? Exact<Given[Key], At<Allowed, Key>> : never }
  : unknown;

/** Which attributes of an entry are answered, and in which language. */
export interface EntryQuery<T extends TypeShape, P extends Populate<T>, F extends FieldName<T>> {
  readonly fields?: F | readonly F[];
  readonly populate?: P & Exact<P, Populate<T>>;
  readonly locale?: string;
}

export type State = 'live' | 'preview';

/** Pages, or a start and a limit. */
export interface Paging {
  readonly page?: number;
  readonly pageSize?: number;
  readonly start?: number;
  readonly limit?: number;
  readonly withCount?: boolean;
}

export interface ListQuery<
  T extends TypeShape,
  P extends Populate<T>,
  F extends FieldName<T>,
  S extends State,
  G extends Paging,
> extends EntryQuery<T, P, F> {
  readonly filters?: T['filters'];
  readonly sort?: Sort<T>;
  readonly pagination?: G & Exact<G, Paging>;
  /** `preview` answers drafts as well. */
  readonly publicationState?: S;
  /** A text that entries must contain. */
  readonly _q?: string;
}

/** The pagination of an answer. */
export type PagingOf<G> = (G extends { readonly start: number } | { readonly limit: number }
  ? { start: number; limit: number }
  : { page: number; pageSize: number }) &
  (G extends { readonly withCount: false } ? unknown : Counted<G>);

type Counted<G> = { total: number } & (G extends { readonly start: number } | { readonly limit: number }
  ? unknown
  : { pageCount: number });

/** Writes a query as the API reads it: `{ filters: { title: { $eq: 'x' } } }` is `?filters[title][$eq]=x`, percent-encoded. */
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
  return key.endsWith('[$in]') ? noneOf(key) : [];
}

/** A relation with nothing chosen below it: `populate: { author: {} }`. */
const isPopulated = /(^populate|\[populate]|\[on])\[[^\]]*]$/;

/** An empty list matches nothing. Left out, the parameter would match every entry. */
function noneOf(key: string): Pair[] {
  const attribute = key.slice(0, -'[$in]'.length);
  return ['$null', '$notNull'].map((operator) => [`${attribute}[${operator}]`, 'true']);
}
