import type { Document } from 'mongodb';
import type { Plan } from '#model/query/plan.js';
import type { Registry } from '#model/schema/content-type.js';
import type { Database } from '../../send/database.js';
import type { TotalCache } from '../../changes/total-cache.js';
import type { RelatedCondition, ResolvedFilters } from '../compile-condition.js';
import type { Page } from '../compile-page.js';
import type { Joins } from '../join-related.js';

/** A way to read a page. */
export interface Way {
  /** As `?explain=true` and the log show it. */
  readonly name: string;
  /** Whether it returns the total too. */
  readonly counts?: true;
  readonly fits: (plan: Plan, facts: Facts) => boolean | Promise<boolean>;
  /** Returns null if it turns out that another way is better, so that the next one that fits is used. */
  readonly read: (plan: Plan, facts: Facts) => Promise<PageResult | null>;
}

/** The documents of a page. */
export interface PageResult {
  readonly documents: readonly Document[];
  /** The number of entries of the list, if the way counts. */
  readonly total?: number;
}

/** What pages are read with. */
export interface PageContext {
  readonly registry: Registry;
  readonly database: Database;
  readonly totals: TotalCache;
}

/** What is known, or can be found out, before a page is read. Each function does its work once, when it is called first. */
export interface Facts extends PageContext {
  /** The ids that conditions on related entries lead to. A way adds those that it reads before `page` is called. */
  readonly relatedIds: Map<RelatedCondition, readonly unknown[]>;
  /** The page with its compiled condition. Conditions on related entries are resolved to ids, or joined. */
  readonly page: () => Promise<JoinedPage>;
  /** The total if it is known; null if it must be counted, or is not wanted. */
  readonly cachedTotal: () => Promise<number | null>;
  /** The total, which is counted unless it is known. */
  readonly count: () => Promise<number>;
  /** How the entries of the page are found. */
  readonly choice: () => Promise<Choice>;
}

/** A page, some of whose conditions on related entries may need a join. */
export interface JoinedPage extends Page {
  readonly resolvedFilters: ResolvedFilters;
  readonly joins: Joins;
  /** The condition without the parts that need a join. */
  readonly before: Document;
  /** Whether a single condition needs a join, and each entry must meet it. */
  readonly isAlone: boolean;
}

/** The total of a page. `cachedTotal` is null if it must be counted. */
export interface PageTotal {
  readonly cachedTotal: number | null;
  readonly count: () => Promise<number>;
}

/** How the entries of a page are found. */
export interface Choice {
  /** The name of an index, or the natural order; null if the server decides. */
  readonly hint: string | { readonly $natural: 1 } | null;
  /** Whether one pass over these entries finds the page and counts, because each of both would examine all of them. */
  readonly inOnePass: boolean;
}
