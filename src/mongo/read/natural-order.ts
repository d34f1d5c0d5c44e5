import type { Plan } from '../../query/plan.js';
import type { Registry } from '../../schema/content-type.js';
import type { Database } from '../database.js';
import type { TotalCache } from '../total-cache.js';
import { estimateCount, estimateSize, readLeading } from './collection-facts.js';
import { compileCondition } from './compile-condition.js';
import type { Page } from './compile-page.js';
import { anyIndex, type Indexes, isServed, leadingFields, type LeadingFields, leadsBy } from './is-served.js';

/** The hint for reading all entries in their natural order. */
export const naturally = { hint: { $natural: 1 } } as const;

/** Number of entries up to which a collection is always read in natural order if no index of the service serves the query. */
const few = 1_000;

/**
 * Share of a collection from which on all entries are read in natural order, instead of the entries in question by an index.
 * Reading an entry by an index was measured to take 1.3 to 5 times as long.
 */
const largeShare = 2 / 3;

const noIndexes: LeadingFields = { all: new Set(), withNulls: new Set() };

/** Returns the indexes of a collection, or none if it is small; null if they cannot be read. */
async function indexesOf({ type }: Plan, database: Database): Promise<Indexes | null> {
  const isSmall = (await estimateSize(type, database)) <= few;
  const leading = isSmall ? noIndexes : await readLeading(type, database).catch(() => null);
  return leading && { ...anyIndex(database), ...leadsBy(leading) };
}

/** Returns whether an index may find only entries that meet the condition of a plan, or only entries of its locale. */
export async function mayBeServed(plan: Plan, database: Database): Promise<boolean> {
  const indexes = await indexesOf(plan, database);
  if (indexes === null || plan.condition === null) return indexes === null;
  return isServed(plan.condition, { ...indexes, leads: (path) => path === 'locale' || indexes.leads(path) });
}

interface OrderContext {
  readonly database: Database;
  readonly totals: TotalCache;
}

/**
 * Returns whether a plan that has to look at all entries of its list reads them best in natural order: no index finds only
 * entries that meet its condition, not even one that an operator has made, and the list has most entries of the collection.
 */
export async function isNaturalBest(plan: Plan, { database, totals }: OrderContext): Promise<boolean> {
  const { condition, scope, type } = plan;
  const indexes = await indexesOf(plan, database);
  if (indexes === null || (condition !== null && isServed(condition, indexes))) return false;
  const size = await estimateSize(type, database);
  if (scope === null || size <= few) return true;
  const listed = { collection: type.collection, match: compileCondition(scope, new Map()) };
  const total = totals.kept({ ...listed, condition: scope }) ?? (await estimateCount(listed, database));
  return total !== null && total >= largeShare * size;
}

/** Returns whether a page is sorted by an attribute without an index of the service, so that all entries of its list are looked at. */
export const isUnordered = ({ type }: Plan, { rank, sort: [key] }: Page, registry: Registry): boolean =>
  key !== undefined && rank === null && !leadingFields(type, registry).all.has(key.path);

/** Returns whether the entries of such a page are read best in natural order. */
export async function isSortedNaturally(plan: Plan, { sort: [key] }: Page, context: OrderContext): Promise<boolean> {
  if (key === undefined || (await estimateSize(plan.type, context.database)) <= few) return false;
  const indexes = await indexesOf(plan, context.database);
  return indexes !== null && !indexes.leads(key.path) && isNaturalBest(plan, context);
}
