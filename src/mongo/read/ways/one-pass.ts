import type { Document } from 'mongodb';
import type { Pass } from '../../changes/total-cache.js';
import { few } from '../collection-facts.js';
import { compilePage, compileSort, type Page } from '../compile-page.js';
import { asScanned, type Database } from '../../send/database.js';
import { readAll } from '../../send/read-commands.js';
import { tryHint } from './try-hint.js';
import type { Facts, Found, Way } from './way.js';

/** Reads a page and its total by one pass over all entries that have to be looked at. */
export const onePass: Way = {
  name: 'one pass',
  counts: true,
  fits: async (_plan, facts) => (await facts.choice()).inOnePass,
  read: async (_plan, facts) => {
    const page = await facts.page();
    return tryHint(facts, (options) => sharePass(page, options, facts));
  },
};

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
const endOf = ({ skip, limit }: Page['window']): number => skip + (limit ?? few);

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
