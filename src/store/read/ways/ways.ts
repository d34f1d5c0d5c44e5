import type { Document } from 'mongodb';
import { type Plan, scorePath } from '#model/query/plan.js';
import { conjunctsOf } from '#model/query/conditions.js';
import type { Pass } from '../../changes/total-cache.js';
import { asScanned, type Database } from '../../send/database.js';
import { isTimedOut, isWithoutIndex } from '../../send/driver-errors.js';
import { readAll } from '../../send/read-commands.js';
import { factTimeout, fewEntries } from '../collection-facts.js';
import { nothing } from '../compile-condition.js';
import { stagesWithoutCollation, withoutCollation } from '../compare-texts.js';
import { collationOf, compilePage, compileSort, type Page, sortsByComputed } from '../compile-page.js';
import { compileJoinedCondition } from '../join-related.js';
import { needsRelatedReads } from '../related-commands.js';
import { resolveOrJoin } from '../resolve-related.js';
import { fallbackTotal } from './fallback-total.js';
import { fromRelated, joinedList, joinedTotal } from './from-related.js';
import { nearest } from './nearest.js';
import { joinedInOrder } from './joined-in-order.js';
import { isInSecondHalf, totalOf } from './page-total.js';
import { isSlow, noteSlow } from './slow-forms.js';
import { seekTargets, sortedTargets } from './sorted-targets.js';
import type { Facts, PageResult, JoinedPage, PageContext, PageTotal, Way } from './way.js';
import { choose } from './choose.js';
import { pageAndTotal } from './page-and-total.js';
import { pageOf } from './page-of.js';

/** Reads nothing if no entry can meet the condition. */
const noEntry: Way = {
  name: 'no entry',
  fits: async (_plan, facts) => (await facts.page()).match === nothing,
  read: () => Promise.resolve({ documents: [] }),
};

/** Reads nothing of a page behind the end of a list whose total is known. */
const behindEnd: Way = {
  name: 'behind the end',
  fits: async ({ window: { skip } }, facts) => skip > 0 && skip >= ((await facts.cachedTotal()) ?? Infinity),
  read: () => Promise.resolve({ documents: [] }),
};

/** Joins all entries with the entries that they are sorted by, or computes the values that they are sorted by otherwise. */
const computedOrder: Way = {
  name: 'computed order',
  fits: ({ sort }) => sortsByComputed(sort),
  read: async (_plan, facts) => ({ documents: await readAll(facts.database, compilePage(await facts.page())) }),
};

/**
 * Reads a page in the order of its sort. If its total is known and the end is nearer, reads it from the end, because the server also
 * reads the entries that it skips.
 */
const inOrder: Way = {
  name: 'order of the sort',
  fits: () => true,
  read: async (_plan, facts) => {
    const page = await facts.page();
    const cachedTotal = await facts.cachedTotal();
    const backwards = cachedTotal === null ? null : fromEnd(page, cachedTotal);
    const command = compilePage(backwards ?? page);
    const documents = await tryHint(facts, (options) => readAll(facts.database, { ...command, ...options }));
    return { documents: backwards === null ? documents : [...documents].reverse() };
  },
};

/**
 * Returns the same page counted from the end of the list, in the opposite order; null if it is nearer to the beginning, or sorted
 * by scores, which have no opposite order.
 */
function fromEnd(page: Page, total: number): Page | null {
  const { skip, limit } = page.window;
  const isRanked = page.sort.some(({ path }) => path === scorePath);
  if (limit === null || !isInSecondHalf({ skip }, total) || isRanked) return null;
  const left = total - skip;
  return { ...page, backwards: true, window: { skip: Math.max(left - limit, 0), limit: Math.min(limit, left) } };
}

/** Reads a page and its total by one pass over all entries that have to be looked at. */
const onePass: Way = {
  name: 'one pass',
  counts: true,
  fits: async (_plan, facts) => (await facts.choice()).inOnePass,
  read: async (_plan, facts) => {
    const page = await facts.page();
    return tryHint(facts, (options) => sharePass(page, options, facts));
  },
};

/** Reads a page and its total by one pass, which concurrent equal requests share, and then the documents of the page. */
async function sharePass(page: Page, options: Document, { database, totals }: Facts): Promise<PageResult> {
  const run = (): Promise<Pass> => scan(page, options, asScanned(database));
  const { collection, match, sort, window } = page;
  const passing = { collection, match, order: compileSort(sort), end: endOf(window) };
  return readPass(page, await (database.session === null ? totals.pass(passing, run, database) : run()), database);
}

/** Returns the ids of the first entries of a pass, up to the end of the page, and the number of all entries. */
async function scan({ collection, match, sort, window }: Page, hint: Document, database: Database): Promise<Pass> {
  const ids = { $topN: { n: endOf(window), sortBy: compileSort(sort), output: '$_id' } };
  const pipeline = [{ $match: match }, { $group: { _id: null, total: { $sum: 1 }, ids } }];
  const [group] = await readAll(database, { aggregate: collection, pipeline, ...hint });
  return { ids: (group?.['ids'] ?? []) as readonly unknown[], total: Number(group?.['total'] ?? 0) }; // grouped into this array
}

/** Returns the number of entries up to the end of a page. */
const endOf = ({ skip, limit }: Page['window']): number => skip + (limit ?? fewEntries);

/**
 * Reads the documents of a page among the entries that a pass has found. An entry that has changed meanwhile and no longer meets
 * the condition is left out.
 */
async function readPass(page: Page, { ids, total }: Pass, database: Database): Promise<PageResult> {
  const { skip } = page.window;
  const pageIds = ids.slice(skip);
  if (pageIds.length === 0) return { documents: [], total };
  const only = { ...page, match: { $and: [{ _id: { $in: pageIds } }, page.match] }, window: { ...page.window, skip: 0 } };
  return { documents: await readAll(database, { ...compilePage(only), hint: '_id_' }), total };
}

/**
 * Reads a page by the index that was chosen for it. If it is not built or takes long, lets the server decide, for a while for
 * all queries of this form. Only the server applies this limit, because a timer of this process would also end the read when the
 * process is busy.
 */
async function tryHint<Result>(facts: Facts, read: (options: Document) => Promise<Result>): Promise<Result> {
  const { hint } = await facts.choice();
  if (typeof hint !== 'string') return read(hint === null ? {} : { hint });
  const { database } = facts;
  const { collection, match, sort } = await facts.page();
  const form = JSON.stringify([collection, hint, Object.keys(match), Object.keys(compileSort(sort))]);
  if (isSlow(database.db, form)) return read({});
  try {
    return await read({ hint, maxTimeMS: Math.min(database.maxTimeMS.read, factTimeout) });
  } catch (error) {
    if (!isTimedOut(error) && !isWithoutIndex(error)) throw error;
    noteSlow(database.db, form);
    return read({});
  }
}

/** All ways to read a page. */
export const ways: readonly Way[] = [
  nearest,
  joinedInOrder,
  pageAndTotal,
  fromRelated,
  noEntry,
  joinedList,
  onePass,
  behindEnd,
  sortedTargets,
  seekTargets,
  computedOrder,
  inOrder,
];

/** The ways to read a page in the order of a collation. The others compare texts by conditions of their own, or by values that they group. */
const collatedWays: readonly Way[] = [nearest, noEntry, joinedList, behindEnd, computedOrder, inOrder];

/** The ways to read a page in the order in which something outside of the database has found its entries. */
const foundWays: readonly Way[] = [nearest, noEntry, joinedList, behindEnd, inOrder];

/** Returns the ways to read a page. The first one that fits is used. */
export function waysOf({ sort, foundEntries }: Pick<Plan, 'sort' | 'foundEntries'>): readonly Way[] {
  if (collationOf(sort) !== null) return collatedWays;
  return foundEntries !== undefined && sort.some(({ path }) => path === scorePath) ? foundWays : ways;
}

/** Returns what ways of reading are chosen by. */
export function gatherFacts(plan: Plan, context: PageContext): Facts {
  const { condition, withTotal } = plan;
  const database = needsRelatedReads(condition) ? asScanned(context.database) : context.database;
  const facts: Facts = {
    ...context,
    database,
    relatedIds: new Map(),
    page: once(async () => (collationOf(plan.sort) === null ? counted() : compareWithoutCollation(await counted()))),
    cachedTotal: async () => (withTotal ? (await total()).cachedTotal : null),
    count: once(async () => {
      const { cachedTotal, count } = await total();
      return cachedTotal ?? count();
    }),
    choice: once(() => choose(plan, facts)),
  };
  const counted = once(async (): Promise<JoinedPage> => {
    const { resolved, joins } = await resolveOrJoin(condition, context.database, facts.relatedIds);
    const { match, before } = compileJoinedCondition(condition, resolved, joins);
    const isAlone = joins.length === 1 && conjunctsOf(condition).some((part) => part === joins[0]?.condition);
    return { ...pageOf(plan, match, database), resolvedFilters: resolved, joins, before, isAlone };
  });
  const total = once(async (): Promise<PageTotal> => {
    const page = await counted();
    if (page.match === nothing) return { cachedTotal: 0, count: () => Promise.resolve(0) };
    if (page.joins.length === 0) return totalOf(plan, page, facts);
    return fallbackTotal(page, facts) ?? joinedTotal(page, database);
  });
  return facts;
}

/** Returns a page whose conditions do not depend on the collation of its sort. No index of places serves such a page. */
function compareWithoutCollation({ match, before, joins, near = null, ...page }: JoinedPage): JoinedPage {
  return {
    ...page,
    match: withoutCollation(match),
    before: withoutCollation(before),
    joins: joins.map(({ condition, stages }) => ({ condition, stages: stagesWithoutCollation(stages) })),
    near: near && { ...near, isUnindexed: true },
  };
}

/** Returns a function that calls `make` once, and returns its result each time. */
function once<Result>(make: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | null = null;
  return () => (result ??= make());
}
