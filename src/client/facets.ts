import type { TypeShape } from './entry.js';
import type { GroupName, KeyName, KeyOf } from './groups.js';
import type { Exact } from './query.js';

interface FacetOptions {
  /** Lower bounds in ascending order: ranges are counted instead of values. */
  readonly ranges?: readonly (number | string)[];
  /** Whether the filter on the attribute itself is left out. */
  readonly self?: boolean;
}

/** The attributes by whose values a whole list is counted: names of keys of groups, or options by them. */
export type Facets<T extends TypeShape> =
  GroupName<T> | readonly GroupName<T>[] | Readonly<Partial<Record<GroupName<T>, FacetOptions>>>;

export interface Faceted<T extends TypeShape, Q extends Facets<T>> {
  /** What the whole list is counted by. */
  readonly facets?: Q & Exact<Q, Facets<T>>;
}

interface Range {
  from: number | string;
  /** Absent in the last one, which is open. */
  to?: number | string;
  count: number;
}

interface Value<Of> {
  value: Of;
  count: number;
}

type NameIn<Q> = Q extends readonly (infer One)[] ? One : Q extends object ? keyof Q : Q;

type CountsOf<T extends TypeShape, Q, Name extends string> =
  Q extends Readonly<Record<Name, { readonly ranges: object }>> ? Range[] : Value<KeyOf<T, Name>>[];

/** The facets in the answer to a list; nothing if none are asked for. */
export type FacetsOf<T extends TypeShape, Q> = [Q] extends [never]
  ? unknown
  : {
      facets: { [Name in NameIn<Q> & string as KeyName<T, Name>]: CountsOf<T, Q, Name> };
      /** The names of those that have more values. */
      facetsTruncated?: string[];
    };
