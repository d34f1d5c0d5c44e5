import type { Document } from 'mongodb';
import { type Condition, type Plan, scorePath } from '../../../query/plan.js';
import type { Registry } from '../../../schema/content-type.js';
import { asScanned, type Database } from '../../database.js';
import type { SearchIndexes } from '../../index-state.js';
import type { TotalCache } from '../../total-cache.js';
import { compileCondition } from '../compile-condition.js';
import type { Page } from '../compile-page.js';
import { compileProjection } from '../compile-projection.js';
import { asksForRelated, resolveRelated } from '../resolve-related.js';
import { chooseIndex } from './link-index.js';
import { totalOf } from './page-total.js';
import type { Facts } from './facts.js';

export interface PageContext {
  readonly registry: Registry;
  readonly database: Database;
  readonly totals: TotalCache;
}

/** Returns what ways of reading are chosen by. */
export function gatherFacts(plan: Plan, { registry, totals, ...context }: PageContext): Facts {
  const { condition, withTotal } = plan;
  const isLinked = asksForRelated(condition);
  const database = isLinked ? asScanned(context.database) : context.database;
  const resolved = once(() => resolveRelated(condition, context.database));
  const page = once(async () => pageOf(plan, compileCondition(condition, await resolved()), database));
  const index = once(async () => {
    if (!isLinked || (await page()).rank !== null) return null;
    return chooseIndex(plan, { registry, resolved: await resolved(), database });
  });
  const total = once(async () => (withTotal ? totalOf(plan, await page(), { database, totals }) : null));
  return { registry, database, totals, page, index, total };
}

/** Returns a function that calls `make` once, and returns its result each time. */
function once<Result>(make: () => Promise<Result>): () => Promise<Result> {
  let made: Promise<Result> | null = null;
  return () => (made ??= make());
}

function pageOf({ type, sort, window, selection, condition }: Plan, match: Document, { budget, searches }: Database): Page {
  const limit = boundLimit(window.limit, budget.left('entriesRead'));
  const rank = condition === null ? null : rankOf(condition, searches);
  return {
    collection: type.collection,
    match,
    sort: rank === null ? sort.filter(({ path }) => path !== scorePath) : sort,
    rank,
    window: { ...window, limit },
    projection: compileProjection(selection),
  };
}

/** Returns the sort that puts the best matches of a search first; null if there is no search, or no index that ranks them. */
function rankOf(condition: Condition, searches: SearchIndexes): Document | null {
  const parts = condition.kind === 'and' ? condition.conditions : [condition];
  const search = parts.find(({ kind }) => kind === 'search');
  return search?.kind === 'search' ? (searches.find(search)?.rank ?? null) : null;
}

/** Returns the limit of a page, lowered to one entry more than the budget allows, which is enough to detect the excess. */
const boundLimit = (limit: number | null, left: number): number | null =>
  limit === null || limit > left ? (left === Infinity ? limit : left + 1) : limit;
