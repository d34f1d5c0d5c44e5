import type { Stored } from '../schema/scalar-types.js';
import type { FoundEntries } from './ast.js';
import type { BoundCursors } from './bound-cursors.js';
import type { LinkSource } from './link-sources.js';
import type { Comparator } from './operators.js';
import type { Near } from './places/near.js';
import type {
  ComponentAttribute,
  ContentType,
  LinkAttribute,
  MorphAttribute,
  ScalarAttribute,
  ZoneAttribute,
} from '../schema/content-type.js';

/**
 * A filter bound to a content type, in negation normal form: as in SQL's three-valued logic, a negated comparison never
 * matches null. Paths are relative to the document, or to the array element inside `element`.
 */
export type Condition =
  | { readonly kind: 'and' | 'or'; readonly conditions: readonly Condition[] }
  /** The condition is not met. Unlike a negated comparison, this is also met by null. */
  | { readonly kind: 'not'; readonly condition: Condition }
  | {
      readonly kind: 'comparison';
      readonly path: string;
      /** The keys that lead from the value at the path, which is JSON, to the one that is compared. */
      readonly keys?: readonly string[];
      readonly stored: Stored;
      readonly comparator: Comparator;
      readonly operand: unknown;
      readonly denied: boolean;
      /** The index that finds the text, if its attribute has one. */
      readonly trigrams?: TrigramPlace;
      /** Part of a row rule: the caller may not be allowed to know what it compares. */
      readonly ofRule?: true;
    }
  /** The entry contains some of the words. If no full-text index can be used, it meets the other condition instead. */
  | { readonly kind: 'search'; readonly collection: string; readonly text: string; readonly otherwise: Condition }
  /** Some element of an array of components meets the condition; `orMissing`: or there is no element. */
  | {
      readonly kind: 'element';
      readonly path: string;
      readonly condition: Condition;
      readonly orMissing: boolean;
      /** The place of the elements, if the condition has comparisons that are expressions; else null. */
      readonly place: ElementPlace | null;
      /** Part of a row rule, so that the client does not pay for it. */
      readonly ofRule: boolean;
    }
  /** Some related entry meets the condition; `orMissing`: or there is none. */
  | {
      readonly kind: 'related';
      readonly path: string;
      readonly link: LinkAttribute;
      readonly target: ContentType;
      readonly condition: Condition;
      readonly orMissing: boolean;
      /** The row rule of the caller for related entries, which is also part of `condition`; null if there is none. */
      readonly visible: Condition | null;
      readonly ofRule: boolean;
    }
  /** None of the visible localizations of the entry has an earlier locale. */
  | {
      readonly kind: 'fallback';
      readonly type: ContentType;
      /** The codes in order. Entries of other locales must have been left out. */
      readonly locales: readonly string[];
      /** The condition of visible entries: publication state and row rule; null if all are visible. */
      readonly visible: Condition | null;
      /** Whether nothing else but visibility and locales decides, so that each group has one entry. */
      readonly isAlone: boolean;
    };

/** An attribute of a collection that has a trigram index. */
export interface TrigramPlace {
  readonly collection: string;
  readonly attribute: string;
}

/** The elements of nested lists in the documents of a collection. Each path is relative to an element of the list before it. */
export interface ElementPlace {
  readonly collection: string;
  readonly lists: readonly string[];
}

/** A path in the document, after zero or more links. Of several values the least one counts, in descending order the greatest. */
export interface SortKey {
  readonly links: readonly SortLink[];
  readonly path: string;
  /** The prefixes of the path whose values are lists: repeatable components, and the path itself if it is JSON. */
  readonly lists: readonly string[];
  readonly order: 1 | -1;
  /** The collation in which the texts at the path are compared; absent if there is none. All keys of a sort have the same one. */
  readonly collation?: string;
}

/** Paths of the sort keys for the score of a full-text search, and for the distance in metres. */
export const [scorePath, distancePath] = ['_score', '_distance'] as const;

interface SortLink {
  readonly path: string;
  readonly link: LinkAttribute;
  readonly target: ContentType;
  /** Whether the link is in the elements of a list, so that one document has it several times. */
  readonly inList: boolean;
}

export interface Window {
  readonly skip: number;
  /** Null: no limit. */
  readonly limit: number | null;
}

/** The parts of an entry, or of an embedded component, that go into the answer. */
export interface Selection {
  readonly type: ContentType;
  /** Scalar attributes, in the order of the answer. */
  readonly fields: readonly ScalarAttribute[];
  readonly children: readonly Child[];
  /** The other locales of each entry, read like a relation; null if they are not wanted. */
  readonly locales: LinkChild | null;
  /** Whether a list of components, at any depth, has a condition on related entries. */
  readonly asksInLists?: boolean;
  /** Whether the versions of the entries are read as well. */
  readonly withVersions?: true;
  /** How the one entry is read that is shown by other rights; absent if it is none of this type. */
  readonly lent?: LentSelection;
}

/** The selection on one entry that is read apart from others of its type. */
export interface LentSelection {
  readonly id: number;
  /** The condition that it meets. */
  readonly condition: Condition;
  readonly selection: Selection;
}

/** A populated attribute. `key` is its name in the answer. */
export type Child = LinkChild | MorphChild | ComponentChild | ZoneChild;

export interface LinkChild extends NestedList {
  readonly kind: 'link';
  readonly key: string;
  readonly link: LinkAttribute;
  readonly target: ContentType;
  /** Whether only the number of entries is wanted. */
  readonly countOnly: boolean;
  /** Whether the stored order is reversed; only if `sort` is empty. */
  readonly reversed: boolean;
}

export interface MorphChild {
  readonly kind: 'morph';
  readonly key: string;
  readonly attribute: MorphAttribute;
  /** By uid; types that are not in it are left out of the answer. */
  readonly targets: ReadonlyMap<string, NestedList>;
  /** The types that store the links, if the targets do; null if the entry itself does. */
  readonly sources: readonly BoundSource[] | null;
}

export interface BoundSource extends LinkSource {
  /** The condition on the entries of the source; null if there is none. */
  readonly condition: Condition | null;
}

export interface ComponentChild extends NestedList {
  readonly kind: 'component';
  readonly key: string;
  readonly attribute: ComponentAttribute;
}

export interface ZoneChild {
  readonly kind: 'zone';
  readonly key: string;
  readonly attribute: ZoneAttribute;
  /** By component uid; components that are not in it are left out of the answer. */
  readonly targets: ReadonlyMap<string, NestedList>;
}

/** The entries or components of one type below an entry: those that are shown, and the selection on each. */
export interface NestedList {
  readonly selection: Selection;
  /** Null: no condition. */
  readonly condition: Condition | null;
  /** Empty: the stored order. If the entry stores items of several types, those that are shown keep their order in any case. */
  readonly sort: readonly SortKey[];
  /** Cuts the list of each entry; null: all of it. */
  readonly window: Window | null;
}

/** The pagination in force, as `meta.pagination` shows it. */
export type BoundPagination =
  | { readonly kind: 'page'; readonly page: number; readonly pageSize: number }
  /** A limit of -1: all. */
  | { readonly kind: 'offset'; readonly start: number; readonly limit: number }
  | BoundCursors;

/** A read, complete and checked: the compiler can no longer fail on the input of a client. */
export interface Plan {
  readonly type: ContentType;
  /** Null if there is no condition, so that the total is the size of the collection. */
  readonly condition: Condition | null;
  /** The part of the condition on publication state and locale; null if there is none. */
  readonly scope: Condition | null;
  /** Whether the condition has no other part, so that the list has all entries of its publication state and locale. */
  readonly isWhole: boolean;
  readonly sort: readonly SortKey[];
  readonly pagination: BoundPagination;
  readonly window: Window;
  readonly withTotal: boolean;
  readonly selection: Selection;
  /** The place that the entries are near to. */
  readonly near?: Near | undefined;
  /** What was found outside of the database, whose order the score is. */
  readonly foundEntries?: FoundEntries | undefined;
}
