import type { Document } from 'mongodb';
import { type Condition, type Plan, scorePath, type Selection, type SortKey } from '../../query/plan.js';
import type { Registry } from '../../schema/content-type.js';
import type { TotalCache } from '../total-cache.js';
import { compileCondition, nothing } from './compile-condition.js';
import { compilePage, type Page, sortsByComputed } from './compile-page.js';
import { compileProjection } from './compile-projection.js';
import { asScanned, readAll, type Database } from '../database.js';
import { chooseIndex, estimateLinks } from './choose-index.js';
import { explainTimeout } from './explain-timeout.js';
import type { SearchIndexes } from '../index-state.js';
import { listParts } from './linked-parts.js';
import type { Loaded } from '../loaded.js';
import { countIfFar, isInSecondHalf, readWithTotal, totalOf } from './page-total.js';
import { asksForRelated, resolveRelated } from './resolve-related.js';
import { isSortedNaturally, isUnordered, naturally } from './natural-order.js';
import { isNear, isScanned, readScanned, scanParts } from './scan-page.js';
import { readChosen } from './read-by-index.js';
import { readTree } from './read-tree.js';
import { walkTargets } from './walk-targets.js';

/** The entries of a page. */
export interface LoadedPage {
  readonly entries: readonly Loaded[];
  /** Null if it was not asked for. */
  readonly total: number | null;
}

interface PageContext {
  readonly registry: Registry;
  readonly database: Database;
  readonly totals: TotalCache;
}

/**
 * Reads a page and, concurrently, its total. Sends one command for each, one for each populated level, and one for each condition
 * on related entries, however many entries there are. Sends none for the page if no entry can meet its condition. Throws a
 * ValidationError if the time limit is exceeded because an index is missing.
 */
export const readPage = (plan: Plan, context: PageContext): Promise<LoadedPage> =>
  readByPlan(plan, context).catch(async (error: unknown) => {
    throw await explainTimeout(error, plan, context);
  });

async function readByPlan(plan: Plan, { registry, totals, ...context }: PageContext): Promise<LoadedPage> {
  const { condition, isWhole, withTotal, selection } = plan;
  const resolved = await resolveRelated(condition, context.database);
  const database = asksForRelated(condition) ? asScanned(context.database) : context.database;
  const match = compileCondition(condition, resolved);
  if (match === nothing) return { entries: [], total: withTotal ? 0 : null };
  const page = pageOf(plan, match, database);
  if (withTotal && !isWhole && condition !== null && isScanned(plan, condition, { registry, database })) {
    const { documents, total } = await readScanned({ plan, page }, { registry, database, totals });
    return { entries: await readEntries(selection, documents, database), total };
  }
  const isLinked = asksForRelated(condition) && page.rank === null;
  const estimates = isLinked ? await estimateLinks(plan, { registry, resolved, database }) : null;
  const chosen = estimates === null ? null : chooseIndex(plan, estimates, registry);
  if (estimates !== null && chosen?.isOrdered === false && isNear(plan)) {
    const parts = await listParts(page, estimates, database);
    if (parts !== null) {
      const { documents, total } = await scanParts(page, parts, database);
      return { entries: await readEntries(selection, documents, database), total: withTotal ? total : null };
    }
  }
  const total = withTotal ? await countIfFar(page, await totalOf(plan, page, { database, totals, estimates })) : null;
  const find = async (): Promise<readonly Document[]> => {
    if (isAfterEnd(page, total?.kept ?? null)) return [];
    if (sortsByComputed(page.sort)) return readComputed(plan, page, total?.kept ?? null, database);
    if (chosen !== null) return readChosen(page, chosen.name, database);
    const isNatural = isUnordered(plan, page, registry) && (await isSortedNaturally(plan, page, { database, totals }));
    return readDocuments(page, { total: total?.kept ?? null, hint: isNatural ? naturally : {} }, database);
  };
  const read = async (): Promise<LoadedPage['entries']> => readEntries(selection, await find(), database);
  return total === null ? { entries: await read(), total: null } : readWithTotal(plan, page, { read, total });
}

/** Reads a page in the order of computed values; from the end, if that is nearer and the same entries come in reverse order. */
async function readComputed(plan: Plan, page: Page, total: number | null, database: Database): Promise<readonly Document[]> {
  const backwards = total !== null && page.sort.every(hasOneValue) ? fromEnd(page, total) : null;
  const walked = await walkTargets(plan, backwards ?? page, { database, total });
  if (walked === null) return readAll(database, compilePage(page));
  return backwards === null ? walked : [...walked].reverse();
}

/** Returns whether each entry has one value of a sort key. Of several values, the opposite order sorts by another one. */
const hasOneValue = ({ links, lists }: SortKey): boolean =>
  lists.length === 0 && links.every(({ link, inList }) => !link.many && !inList);

/**
 * Reads a page. If its total is known and the end is nearer, reads it from the end, because the server also reads the entries
 * that it skips.
 */
function readDocuments(
  page: Page,
  { total, hint }: { readonly total: number | null; readonly hint: Document },
  database: Database,
): Promise<readonly Document[]> {
  const backwards = total === null ? null : fromEnd(page, total);
  if (backwards === null) return readAll(database, { ...compilePage(page), ...hint });
  return readAll(database, { ...compilePage(backwards), ...hint }).then((documents) => [...documents].reverse());
}

/**
 * Returns the same page counted from the end of the list, in the opposite order; null if it is nearer to the beginning, or sorted
 * by scores, which have no opposite order.
 */
function fromEnd({ sort, window: { skip, limit }, ...page }: Page, total: number): Page | null {
  const isRanked = sort.some(({ path }) => path === scorePath);
  if (limit === null || !isInSecondHalf({ skip }, total) || isRanked) return null;
  const keys = sort.length === 0 ? [byId] : sort;
  const left = total - skip;
  return {
    ...page,
    sort: keys.map((key) => ({ ...key, order: key.order === 1 ? -1 : 1 })),
    window: { skip: Math.max(left - limit, 0), limit: Math.min(limit, left) },
  };
}

const isAfterEnd = ({ window: { skip } }: Page, total: number | null): boolean => total !== null && skip > 0 && skip >= total;

const byId = { links: [], path: '_id', lists: [], order: 1 } as const;

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

function readEntries(selection: Selection, documents: readonly Document[], database: Database): Promise<Loaded[]> {
  database.budget.spend('entriesRead', documents.length);
  return readTree(selection, documents, database);
}

/** Returns the limit of a page, lowered to one entry more than the budget allows, which is enough to detect the excess. */
const boundLimit = (limit: number | null, left: number): number | null =>
  limit === null || limit > left ? (left === Infinity ? limit : left + 1) : limit;
