import type { Document } from 'mongodb';
import { isSought, type Plan } from '../../../query/plan.js';
import type { Pass } from '../../changes/total-cache.js';
import { compilePage, compileSort, sortsByComputed, type Page } from '../compile-page.js';
import { asScanned, type Database } from '../../send/database.js';
import { readAll } from '../../send/read-commands.js';
import { anyIndex, isServed, leadingFields, leadsBy } from '../is-served.js';
import { chooseOrder } from './link-index.js';
import { isNaturalBest, mayBeServed, naturally } from './natural-order.js';
import { tryIndex } from './try-index.js';
import { type Facts, near } from './facts.js';
import type { Found, Way } from './way.js';

/**
 * Reads a page and its total by one pass over the collection. This is best if no index finds only the entries that meet the
 * condition, so that counting examines more entries in any case. If the total is known, and an index with the order of the sort
 * makes it likely that few entries are examined, reads the page by that index.
 */
export const onePass: Way = {
  name: 'one pass',
  counts: true,
  fits: (plan, { registry, database }) => {
    const { condition, isWhole, type } = plan;
    if (!plan.withTotal || isWhole || condition === null || isSought(plan) || !isNear(plan)) return false;
    // trigrams also find entries that do not meet the condition
    return !isServed(condition, { ...anyIndex(database), ...leadsBy(leadingFields(type, registry)), serves: () => false });
  },
  read: async (plan, facts) => {
    const { database, totals } = facts;
    const page = await facts.page();
    const scanAll = async () => sharePass(page, (await isNaturalBest(plan, facts)) ? naturally : {}, facts);
    if (database.session !== null) return scanAll();
    const total = totals.kept({ ...page, condition: null });
    const index = total === null ? null : await chooseOrder(plan, total, facts);
    if (total === null || index === null) return scanAll();
    const byIndex = async (maxTimeMS: number): Promise<Found | null> => {
      const isOnly = !(await mayBeServed(plan, database)); // otherwise the server may know a better index
      const documents = await readAll(database, { ...compilePage(page), ...(isOnly && { hint: index }), maxTimeMS });
      return documents.length === page.window.limit ? { documents, total } : null; // otherwise the total has changed
    };
    return (await tryIndex({ page, index }, { byIndex, otherwise: scanAll }, database)) ?? scanAll();
  },
};

/** Number of entries above which one pass takes less time than the page and its total separately. */
const many = 500;

/**
 * Reads a page and its total by one pass over the entries that the index of a relation finds, because both would examine the same
 * entries.
 */
export const passOverRelation: Way = {
  name: 'one pass over a relation',
  counts: true,
  fits: async (plan, facts) => {
    if (!plan.withTotal || isSought(plan) || !isNear(plan)) return false;
    const index = await facts.index();
    return index !== null && !index.isOrdered && index.entries > many && (await facts.total())?.kept === null;
  },
  read: async (_plan, facts) => {
    const [page, choice] = await Promise.all([facts.page(), facts.index()]);
    const index = choice?.narrowest.index.name ?? '';
    const byIndex = (maxTimeMS: number): Promise<Found> => sharePass(page, { hint: index, maxTimeMS }, facts);
    return tryIndex({ page, index }, { byIndex, otherwise: () => sharePass(page, {}, facts) }, facts.database);
  },
};

/** Returns whether a page is so near to the beginning that a scan can keep all entries up to its end. */
const isNear = ({ sort, window }: Plan): boolean =>
  !sortsByComputed(sort) && window.limit !== null && window.skip + window.limit <= near;

/** Reads a page and its total by one pass, which concurrent equal requests share, and then the documents of the page. */
async function sharePass(page: Page, options: Document, { database, totals }: Facts): Promise<Found> {
  const run = (): Promise<Pass> => scan(page, options, asScanned(database));
  const { collection, match, sort, window } = page;
  const passing = { collection, match, order: compileSort(sort), end: endOf(window) };
  return readPass(page, await (database.session === null ? totals.pass(passing, run, database) : run()), database);
}

/** Returns the ids of the first entries of a pass, up to the end of the page, and the number of all entries. */
async function scan({ collection, match, sort, window }: Page, hint: Document, database: Database): Promise<Pass> {
  const ids = { $topN: { n: endOf(window), sortBy: compileSort(sort), output: '$_id' } };
  const pipeline = [{ $match: match }, { $group: { _id: null, total: { $sum: 1 }, ids } }];
  const [group] = await readAll(database, { aggregate: collection, pipeline, cursor: {}, ...hint });
  return { ids: (group?.['ids'] ?? []) as readonly unknown[], total: Number(group?.['total'] ?? 0) }; // grouped into this array
}

/** Returns the number of entries up to the end of a page. */
const endOf = ({ skip, limit }: Page['window']): number => skip + (limit ?? near);

/**
 * Reads the documents of a page among the entries that a pass has found. An entry that has changed meanwhile and no longer meets
 * the condition is left out.
 */
async function readPass(page: Page, { ids, total }: Pass, database: Database): Promise<Found> {
  const { skip } = page.window;
  const kept = ids.slice(skip);
  if (kept.length === 0) return { documents: [], total };
  const only = { ...page, match: { $and: [{ _id: { $in: kept } }, page.match] }, window: { ...page.window, skip: 0 } };
  return { documents: await readAll(database, { ...compilePage(only), hint: '_id_' }), total };
}
