import type { Document } from 'mongodb';
import type { Registry } from '../../../schema/content-type.js';
import type { Database } from '../../send/database.js';
import type { TotalCache } from '../../changes/total-cache.js';
import type { RelatedCondition } from '../compile-condition.js';
import type { Page } from '../compile-page.js';
import type { Joins } from '../join-related.js';
import type { IndexPlan } from '../plan-indexes.js';

/** Number of entries from the beginning of a list up to which a page is near, so that all entries up to its end may be kept. */
export const near = 1_000;

/** A page, some of whose conditions on related entries may need a join. */
export interface JoinedPage extends Page {
  readonly joins: Joins;
  /** The condition without the parts that need a join. */
  readonly before: Document;
  /** Whether a single condition needs a join, and each entry must meet it. */
  readonly isAlone: boolean;
}

/** What is known, or can be found out, before a page is read. Each function does its work once, when it is called first. */
export interface Facts {
  readonly registry: Registry;
  readonly database: Database;
  readonly totals: TotalCache;
  /** The page with its compiled condition. Conditions on related entries are resolved to ids, or joined. */
  readonly page: () => Promise<JoinedPage>;
  /** The index of a relation or of the sort; null if there is no condition on related entries, or too little is known. */
  readonly index: () => Promise<ChosenIndex | null>;
  /** The total, or how to count it; null if it is not wanted. */
  readonly total: () => Promise<PageTotal | null>;
}

/** An index for a page with conditions on related entries. */
export interface ChosenIndex {
  /** Null if the server decides. */
  readonly name: string | null;
  /** Whether the index has the order of the page, so that only the entries are read that the page needs. */
  readonly isOrdered: boolean;
  /** The condition that the fewest entries meet, with the index of its relation. */
  readonly narrowest: IndexedLink;
  /** The estimated number of these entries. */
  readonly entries: number;
}

/** A condition on linked entries, with an index of the link. */
export interface IndexedLink {
  readonly condition: RelatedCondition;
  readonly index: IndexPlan;
  /** The estimated share of the entries that meet the condition. */
  readonly share: number;
  /** The number of linked entries that meet the condition. */
  readonly ids: number;
}

/** The total of a page. `kept` is the known total; null if it must be counted. */
export interface PageTotal {
  readonly kept: number | null;
  readonly count: () => Promise<number>;
}
