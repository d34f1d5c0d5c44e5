import type { Document } from 'mongodb';
import { isNever } from '../../query/conditions.js';
import { type Condition, type Plan, scorePath, type Selection } from '../../query/plan.js';
import type { Registry } from '../../schema/content-type.js';
import type { TotalCache } from '../total-cache.js';
import { compileCondition } from './compile-condition.js';
import { compilePage, compileProjection, type Page, sortsByComputed } from './compile-page.js';
import { asScanned, readAll, type Database } from '../database.js';
import { isTimedOut, isWithoutIndex } from '../driver-errors.js';
import { chooseIndex } from './choose-index.js';
import { explainTimeout } from './explain-timeout.js';
import type { SearchIndexes } from '../index-state.js';
import type { Loaded } from '../loaded.js';
import { asksForRelated, resolveRelated } from './resolve-related.js';
import { isScanned, scanPage } from './scan-page.js';
import { fromEnd, readWithTotal, totalOf } from './read-total.js';
import { readTree } from './read-tree.js';
import { walkTargets } from './walk-targets.js';

/** The entries of a page. */
export interface LoadedPage {
  readonly entries: readonly Loaded[];
  /** Null if it was not wanted. */
  readonly total: number | null;
}

interface PageContext {
  readonly registry: Registry;
  readonly database: Database;
  readonly totals: TotalCache;
}

/**
 * Reads a page and, at the same time, its total. Sends one command for each, one for each level that is populated, and one for each
 * condition on related entries: the number depends on the plan alone. Throws a ValidationError if the time limit is hit because no index
 * leads to the entries.
 */
export async function readPage(plan: Plan, context: PageContext): Promise<LoadedPage> {
  try {
    return await readEach(plan, context);
  } catch (error) {
    throw await explainTimeout(error, plan, context.database);
  }
}

async function readEach(plan: Plan, { registry, totals, ...context }: PageContext): Promise<LoadedPage> {
  const { condition, withTotal, totalIsCacheable, selection } = plan;
  if (condition !== null && isNever(condition)) return { entries: [], total: withTotal ? 0 : null };
  const database = asksForRelated(condition) ? asScanned(context.database) : context.database;
  const resolved = await resolveRelated(condition, database);
  const match = compileCondition(condition, resolved);
  const page = pageOf(plan, match, database);
  if (withTotal && !totalIsCacheable && condition !== null && isScanned(plan, condition, { registry, database })) {
    const { documents, total } = await scanPage(page, condition, database);
    return { entries: await readEntries(selection, documents, database), total };
  }
  const total = withTotal ? await totalOf(plan, page, { database, totals }) : null;
  const find = async (): Promise<readonly Document[]> => {
    if (sortsByComputed(page.sort)) return (await walkTargets(plan, page, database)) ?? readAll(database, compilePage(page));
    if (!asksForRelated(condition)) return readDocuments(page, total?.kept ?? null, database);
    return readChosen(page, await chooseIndex(plan, { registry, resolved, database }), database);
  };
  const read = async (): Promise<LoadedPage['entries']> => readEntries(selection, await find(), database);
  return total === null ? { entries: await read(), total: null } : readWithTotal(plan, page, { read, total });
}

/** Reads a page whose total is known from its end if that is nearer: what is skipped is looked at as well. */
async function readDocuments(page: Page, total: number | null, database: Database): Promise<readonly Document[]> {
  const backwards = total === null ? null : fromEnd(page, total);
  if (backwards === null) return readAll(database, compilePage(page));
  return [...(await readAll(database, compilePage(backwards)))].reverse();
}

/** Milliseconds until an index that was named wrongly is given up. */
const hinted = 1_000;

/** Reads a page by the index that was chosen for it; as the server plans it if there is none, or it takes too long. */
async function readChosen(page: Page, index: string | null, database: Database): Promise<readonly Document[]> {
  const command = compilePage(page);
  if (index === null || database.session !== null) return readAll(database, command);
  const { maxTimeMS } = database;
  const limited = { ...database, maxTimeMS: { ...maxTimeMS, read: Math.min(maxTimeMS.read, hinted) } };
  try {
    return await readAll(limited, { ...command, hint: index });
  } catch (error) {
    if (!isTimedOut(error) && !isWithoutIndex(error)) throw error;
    return readAll(database, command);
  }
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

async function readEntries(selection: Selection, documents: readonly Document[], database: Database): Promise<Loaded[]> {
  database.budget.spend('entriesRead', documents.length);
  return readTree(selection, documents, database);
}

/** Reads one entry more than the budget has, which is enough to see that it is exceeded. */
const boundLimit = (limit: number | null, left: number): number | null =>
  limit === null || limit > left ? (left === Infinity ? limit : left + 1) : limit;
