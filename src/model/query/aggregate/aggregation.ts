import type { LinkAttribute, ContentType, ScalarAttribute, ScalarType } from '../../schema/content-type.js';
import type { Filter, KeyQuery, Query } from '../ast.js';
import type { Condition, Plan } from '../plan.js';
import type { BucketUnit } from './buckets.js';

/** The functions of groups. */
export const functionNames = ['count', 'countDistinct', 'sum', 'avg', 'min', 'max'] as const;

export type FunctionName = (typeof functionNames)[number];

/** A function of the values of an attribute. `path` are the names that lead to it; empty for the number of entries. */
export interface FunctionQuery {
  readonly name: FunctionName;
  readonly path: readonly string[];
}

/** The groups that a client asks for, before names are looked up. */
export interface AggregationQuery {
  /** The entries that are grouped. Its `sort` and `pagination` are those of the groups. */
  readonly entries: Query;
  readonly functions: readonly FunctionQuery[];
  readonly groupBy: readonly KeyQuery[];
  readonly having: Filter | null;
  /** A name of the IANA database, or an offset such as `+02:00`. */
  readonly timeZone: string;
}

/** A grouping in a tree of groups: the keys from the outermost one on, and the functions of its groups. */
export interface GroupingQuery {
  readonly keys: readonly ZonedKey[];
  readonly functions: readonly FunctionQuery[];
}

/** A key with the time zone of parts of dates. */
export interface ZonedKey extends KeyQuery {
  readonly timeZone: string;
}

/** How much a client may ask for: keys of groups, functions of groups, groups, and groupings in a tree. */
export const maxKeys = 3;
export const maxFunctions = 20;
export const maxGroups = 1_000;
export const maxGroupings = 20;

/** Returns whether the entries of a type can be grouped. */
export const isAggregated = ({ kind, uid }: ContentType): boolean => kind === 'collectionType' && uid.startsWith('api::');

/** A scalar value by which entries are grouped, or that a function takes. */
export interface ScalarSource {
  readonly kind: 'scalar';
  readonly path: string;
  readonly type: ScalarType;
}

/** Related entries by which entries are grouped, or that are counted. */
export interface LinkSource {
  readonly kind: 'link';
  readonly path: string;
  readonly link: LinkAttribute;
  readonly target: ContentType;
  /** What the caller sees of related entries; null if that is all of them. */
  readonly visible: Condition | null;
}

export type Source = ScalarSource | LinkSource;

/** A part of a date by which entries are grouped. */
export interface Bucket {
  readonly unit: BucketUnit;
  readonly timeZone: string;
}

/** A key of groups. `name` is its name in answers. */
export type GroupKey = { readonly name: string } &
  /** `ranges` are the lower bounds of ranges in ascending order, whose indexes are the keys; null if values are. */
  (
    | (ScalarSource & { readonly bucket: Bucket | null; readonly ranges: readonly unknown[] | null })
    /** `field` is the attribute of the related entry that is answered; null if only its id is. */
    | (LinkSource & { readonly field: ScalarAttribute | null })
  );

/** A function of a group. */
export interface Figure {
  readonly function: Exclude<FunctionName, 'count'>;
  /** The name of the attribute in answers. */
  readonly name: string;
  readonly source: Source;
  /** Whether it is answered. Others are computed for conditions and orders alone. */
  readonly isAnswered: boolean;
}

/** What groups are sorted by: their size, a figure or a key by its index, or the field of a key. */
export interface GroupSort {
  readonly by: { readonly kind: 'count' } | { readonly kind: 'figure' | 'key' | 'field'; readonly index: number };
  readonly order: 1 | -1;
}

/** Groups, complete and checked. */
export interface Aggregation {
  /** The entries that are grouped. */
  readonly entries: Plan;
  readonly keys: readonly GroupKey[];
  readonly figures: readonly Figure[];
  readonly isCountAnswered: boolean;
  /** The condition on groups. Its paths are those of `figurePath`; null if there is none. */
  readonly having: Condition | null;
  readonly sort: readonly GroupSort[];
  /** The least number of entries of a group that is answered. */
  readonly minGroup: number;
  /** The most groups that are found, the first ones in their order, besides one that tells that there are more. */
  readonly maxGroups: number;
}

/** The path of the number of entries in the document of a group. */
export const countPath = 'count';

/** Returns the path of a figure in the document of a group. */
export const figurePath = (index: number): string => `figure${String(index)}`;

/** Returns the path of a key, below `_id` in the document of a group. */
export const keyPath = (index: number): string => `key${String(index)}`;
