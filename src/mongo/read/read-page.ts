import type { Document } from 'mongodb';
import type { Plan } from '../../query/plan.js';
import type { Loaded } from '../form/loaded.js';
import { explainTimeout } from './explain-timeout.js';
import { readTree } from './read-tree.js';
import { gatherFacts, type PageContext } from './ways/gather-facts.js';
import { impliedTotal, isLikelyShort } from './ways/page-total.js';
import type { Facts } from './ways/facts.js';
import type { Found, Way } from './ways/way.js';
import { ways } from './ways/ways.js';

/** The entries of a page. */
export interface LoadedPage {
  readonly entries: readonly Loaded[];
  /** Null if it was not asked for. */
  readonly total: number | null;
}

/**
 * Reads a page and, concurrently, its total. Sends one command for each, one for each populated level, and at most one for each
 * condition on related entries, however many entries there are. Sends none for the page if no entry can meet its condition. Throws
 * a ValidationError if the time limit is exceeded because an index is missing.
 */
export const readPage = (plan: Plan, context: PageContext): Promise<LoadedPage> =>
  readByFirst(plan, gatherFacts(plan, context)).catch(async (error: unknown) => {
    throw await explainTimeout(error, plan, context);
  });

/** Reads a page by the first way that fits. */
async function readByFirst(plan: Plan, facts: Facts): Promise<LoadedPage> {
  facts.database.reads?.collections.push(plan.type.collection); // a kept total needs no command
  for (const way of ways) {
    if (!(await way.fits(plan, facts))) continue;
    const page = await (plan.withTotal && way.counts !== true ? readAndCount(way, plan, facts) : readBy(way, plan, facts));
    if (page === null) continue;
    facts.database.trace?.chose(way.name, plan);
    return page;
  }
  throw new Error('no way of reading fits'); // the last one always does
}

async function readBy(way: Way, plan: Plan, facts: Facts): Promise<LoadedPage | null> {
  const found = await way.read(plan, facts);
  if (found === null) return null;
  impliedTotal(plan, plan.window, found.documents.length); // is remembered
  return { entries: await readEntries(plan, found, facts), total: plan.withTotal ? (found.total ?? null) : null };
}

/**
 * Reads a page and its total. If the page is not full, the total follows from it. If that is likely, the page is read first, and
 * entries are counted only if it is full; otherwise both are read concurrently.
 */
async function readAndCount(way: Way, plan: Plan, facts: Facts): Promise<LoadedPage | null> {
  const read = readBy(way, plan, facts);
  const count = async (): Promise<number> => {
    const total = await facts.total();
    return total?.kept ?? (await total?.count()) ?? 0;
  };
  const [page, counted] = isLikelyShort(plan) ? [await read, null] : await Promise.all([read, count()]);
  if (page === null) return null;
  return { ...page, total: impliedTotal(plan, plan.window, page.entries.length) ?? counted ?? (await count()) };
}

function readEntries({ selection }: Plan, { documents }: Found, { database }: Facts): Promise<Loaded[]> {
  database.budget.spend('entriesRead', documents.length);
  return readTree(selection, documents as readonly Document[], database);
}
