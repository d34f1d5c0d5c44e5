import type { TypeShape } from './entry.js';
import type { Fallback, Paging, SortName, State, TargetOf } from './query.js';

type Names<T> = Extract<keyof T, string>;
type Unit = 'year' | 'quarter' | 'month' | 'week' | 'day' | 'hour';

/** A path through a relation or component: `author.name`. */
type Below<Links> = { [Name in Names<Links>]: `${Name}.${SortName<TargetOf<Links[Name]>>}` }[Names<Links>];

/** What entries are grouped by: an attribute, a part of a date (`at:month`), a relation, or an attribute behind it (`author.name`). */
export type GroupName<T extends TypeShape> =
  Names<T['values']> | `${Names<T['values']>}:${Unit}` | Names<T['links']> | Below<T['links']>;

type Argument<T extends TypeShape> = Names<T['values']> | Names<T['links']> | Below<T['links']>;
type Arguments<T extends TypeShape> = Argument<T> | readonly Argument<T>[];

/** The functions of groups, each with its attributes. */
export interface Functions<T extends TypeShape> {
  readonly count?: '*';
  readonly countDistinct?: Arguments<T>;
  readonly sum?: Arguments<T>;
  readonly avg?: Arguments<T>;
  readonly min?: Arguments<T>;
  readonly max?: Arguments<T>;
}

export interface AggregateQuery<T extends TypeShape, K extends GroupName<T>, A extends Functions<T>> extends Fallback {
  /** The number of entries unless given. */
  readonly aggregate?: A;
  readonly groupBy?: K | readonly K[];
  /** Conditions on groups: `{ count: { $gte: 2 }, avg: { rating: { $gt: 3 } } }`. */
  readonly having?: object;
  /** Functions and keys: `count:desc`, `avg.rating`, `author.name`. */
  readonly sort?: string | readonly string[];
  readonly pagination?: Pick<Paging, 'page' | 'pageSize' | 'start' | 'limit' | 'withCount'>;
  /** The time zone of parts of dates: `Europe/Paris`, `+02:00`; UTC unless given. */
  readonly timezone?: string;
  readonly filters?: T['filters'];
  readonly locale?: string;
  /** `preview` includes drafts. */
  readonly publicationState?: State;
  /** Text to search for. */
  readonly _q?: string;
}

/** The answer with a page of groups. */
export interface Groups<T extends TypeShape, K, A> {
  data: Group<T, K, A>[];
  meta: {
    pagination: { page?: number; pageSize?: number; pageCount?: number; start?: number; limit?: number; total?: number };
    /** There are more groups than the service finds. */
    truncated?: true;
  };
}

type Group<T extends TypeShape, K, A> = { group: { [Key in K & string as KeyName<T, Key>]: KeyOf<T, Key> } } & {
  [Name in keyof A]: Name extends 'count' ? number : Record<Item<A[Name]> & string, Figure<Name>>;
};

type Item<Given> = Given extends readonly (infer One)[] ? One : Given;

/** Sums that a double does not hold are texts, and so are dates and texts of `min` and `max`. */
type Figure<Name> = Name extends 'countDistinct' ? number : Name extends 'avg' ? number | null : number | string | null;

/** The name of a key in a group: that of the relation, or the path in a component. */
export type KeyName<T extends TypeShape, Key extends string> = Key extends `${infer Name}:${Unit}`
  ? Name
  : Key extends `${infer Name}.${string}`
    ? IsPart<T, Name> extends true
      ? Key
      : Name
    : Key;

type IsPart<T extends TypeShape, Name> = Name extends keyof T['links']
  ? T['links'][Name] extends { part: unknown }
    ? true
    : false
  : false;

/** The type of a key of groups. */
export type KeyOf<T extends TypeShape, Key extends string> = Key extends `${string}:${Unit}`
  ? string | null
  : Key extends keyof T['values']
    ? T['values'][Key] | null
    : Key extends `${infer Name}.${infer Field}`
      ? Name extends keyof T['links']
        ? IsPart<T, Name> extends true
          ? ValueOf<TargetOf<T['links'][Name]>, Field> | null
          : ({ id: number } & { [Of in Field]: ValueOf<TargetOf<T['links'][Name]>, Of> | null }) | null
        : never
      : { id: number } | null;

type ValueOf<T extends TypeShape, Name> = Name extends keyof T['values'] ? T['values'][Name] : unknown;
