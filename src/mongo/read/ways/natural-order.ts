import type { Plan } from '../../../query/plan.js';
import type { Database } from '../../send/database.js';
import { estimateCount, estimateSize, readLeading, smallSize } from '../collection-facts.js';
import { compileCondition } from '../compile-condition.js';
import { anyIndex, type Indexes, isServed, leadingFields, type LeadingFields, leadsBy } from '../is-served.js';
import { readFrom } from './in-order.js';
import type { Facts } from './facts.js';
import type { Way } from './way.js';

/** The hint for reading all entries in their natural order. */
export const naturally = { hint: { $natural: 1 } } as const;

/**
 * Share of a collection from which on all entries are read in natural order, instead of the entries in question by an index.
 * Reading an entry by an index was measured to take 1.3 to 5 times as long.
 */
const largeShare = 2 / 3;

const noIndexes: LeadingFields = { all: new Set(), withNulls: new Set() };

/** Returns the indexes of a collection, or none if it is small; null if they cannot be read. */
async function indexesOf({ type }: Plan, database: Database): Promise<Indexes | null> {
  const isSmall = (await estimateSize(type, database)) <= smallSize;
  const leading = isSmall ? noIndexes : await readLeading(type, database).catch(() => null);
  return leading && { ...anyIndex(database), ...leadsBy(leading) };
}

/** Returns whether an index may find only entries that meet the condition of a plan, or only entries of its locale. */
export async function mayBeServed(plan: Plan, database: Database): Promise<boolean> {
  const indexes = await indexesOf(plan, database);
  if (indexes === null || plan.condition === null) return indexes === null;
  return isServed(plan.condition, { ...indexes, leads: (path) => path === 'locale' || indexes.leads(path) });
}

/**
 * Returns whether a plan that has to look at all entries of its list reads them best in natural order: no index finds only
 * entries that meet its condition, not even one that an operator has made, and the list has most entries of the collection.
 */
export async function isNaturalBest(plan: Plan, { database, totals }: Facts): Promise<boolean> {
  const { condition, scope, type } = plan;
  const indexes = await indexesOf(plan, database);
  if (indexes === null || (condition !== null && isServed(condition, indexes))) return false;
  const size = await estimateSize(type, database);
  if (scope === null || size <= smallSize) return true;
  const listed = { collection: type.collection, match: compileCondition(scope, new Map()) };
  const total = totals.kept({ ...listed, condition: scope }) ?? (await estimateCount(listed, database));
  return total !== null && total >= largeShare * size;
}

/** Reads a page that is sorted by an attribute without an index, so that all entries of its list are looked at. */
export const naturalOrder: Way = {
  name: 'natural order',
  fits: async (plan, facts) => {
    const [key] = plan.sort;
    const { database, registry } = facts;
    if (key === undefined || leadingFields(plan.type, registry).all.has(key.path)) return false;
    const { rank } = await facts.page();
    if ((rank ?? null) !== null || (await estimateSize(plan.type, database)) <= smallSize) return false;
    const indexes = await indexesOf(plan, database);
    return indexes !== null && !indexes.leads(key.path) && isNaturalBest(plan, facts);
  },
  read: (_plan, facts) => readFrom(facts, naturally),
};
