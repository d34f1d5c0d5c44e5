import { type Document, MinKey } from 'mongodb';
import { type Condition, type Plan, scorePath, type Selection } from '../../query/plan.js';
import type { ContentType, Registry } from '../../schema/content-type.js';
import type { TotalCache } from '../total-cache.js';
import { compileCondition, nothing } from './compile-condition.js';
import { compilePage, type Page, sortsByComputed } from './compile-page.js';
import { compileProjection } from './compile-projection.js';
import { asScanned, countStored, readAll, runRead, type Database } from '../database.js';
import { chooseIndex, estimateLinks, type LinkEstimates } from './choose-index.js';
import { explainTimeout } from './explain-timeout.js';
import type { SearchIndexes } from '../index-state.js';
import { countLinked, listParts } from './linked-parts.js';
import type { Loaded } from '../loaded.js';
import { asksForRelated, resolveRelated } from './resolve-related.js';
import { isNear, isScanned, readScanned, scanParts } from './scan-page.js';
import { readChosen } from './read-by-index.js';
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
 * condition on related entries, however many entries there are; none for the page if nothing can meet its condition. Throws a
 * ValidationError if the time limit is hit because no index leads to the entries.
 */
export const readPage = (plan: Plan, context: PageContext): Promise<LoadedPage> =>
  readByPlan(plan, context).catch(async (error: unknown) => {
    throw await explainTimeout(error, plan, context);
  });

async function readByPlan(plan: Plan, { registry, totals, ...context }: PageContext): Promise<LoadedPage> {
  const { condition, withTotal, totalIsCacheable, selection } = plan;
  const resolved = await resolveRelated(condition, context.database);
  const database = asksForRelated(condition) ? asScanned(context.database) : context.database;
  const match = compileCondition(condition, resolved);
  if (match === nothing) return { entries: [], total: withTotal ? 0 : null };
  const page = pageOf(plan, match, database);
  if (withTotal && !totalIsCacheable && condition !== null && isScanned(plan, condition, { registry, database })) {
    const { documents, total } = await readScanned({ plan, condition, page }, { registry, database, totals });
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
  const total = withTotal ? await totalOf(plan, page, { database, totals, estimates }) : null;
  const find = (): Promise<readonly Document[]> => {
    if (sortsByComputed(page.sort)) return readComputed(plan, page, database);
    if (chosen !== null) return readChosen(page, chosen.name, database);
    return readDocuments(page, total?.kept ?? null, database);
  };
  const read = async (): Promise<LoadedPage['entries']> => readEntries(selection, await find(), database);
  return total === null ? { entries: await read(), total: null } : readWithTotal(plan, page, { read, total });
}

/** Reads a page in the order of values that are computed. */
const readComputed = async (plan: Plan, page: Page, database: Database): Promise<readonly Document[]> =>
  (await walkTargets(plan, page, database)) ?? readAll(database, compilePage(page));

/** Reads a page whose total is known, from the end if that is nearer: the server also walks over the entries that it skips. */
function readDocuments(page: Page, total: number | null, database: Database): Promise<readonly Document[]> {
  const backwards = total === null ? null : fromEnd(page, total);
  if (backwards === null) return readAll(database, compilePage(page));
  return readAll(database, compilePage(backwards)).then((documents) => [...documents].reverse());
}

/**
 * The same page read from the end of the list, in the opposite order; null if it is nearer to the beginning. Scores have no opposite order: the
 * server puts the best first in any case.
 */
function fromEnd({ sort, window: { skip, limit }, ...page }: Page, total: number): Page | null {
  const isRanked = sort.some(({ path }) => path === scorePath);
  if (limit === null || !isNearEnd({ skip }, total) || isRanked || sortsByComputed(sort)) return null;
  const keys = sort.length === 0 ? [byId] : sort;
  const left = total - skip;
  return {
    ...page,
    sort: keys.map((key) => ({ ...key, order: key.order === 1 ? -1 : 1 })),
    window: { skip: Math.max(left - limit, 0), limit: Math.min(limit, left) },
  };
}

const isNearEnd = ({ skip }: Pick<Page['window'], 'skip'>, total: number): boolean => skip > total / 2 && skip < total;

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

/** Reads one entry more than the budget has, which is enough to see that it is exceeded. */
const boundLimit = (limit: number | null, left: number): number | null =>
  limit === null || limit > left ? (left === Infinity ? limit : left + 1) : limit;

/** The total of a page: the one that is kept, null if it has to be counted. */
interface PageTotal {
  readonly kept: number | null;
  readonly count: () => Promise<number>;
}

/** Entries before a page from which on the total is worth a command before the page is read: it may be read from the end. */
const far = 1_000;

interface TotalContext extends Omit<PageContext, 'registry'> {
  /** Of conditions on linked entries; null if there is none. */
  readonly estimates: LinkEstimates | null;
}

/** Returns the total of a plan if it is known, and how to count it otherwise. */
function totalOf(plan: Plan, page: Page, { database, totals, estimates }: TotalContext): PageTotal | Promise<PageTotal> {
  const { match, collection } = page;
  const { condition, totalIsCacheable } = plan;
  if (database.session !== null) return { kept: null, count: () => countInTransaction(collection, match, database) };
  if (condition === null) return totalOfAll(page, { database, totals });
  const counted = { collection, match, condition: totalIsCacheable ? condition : null };
  const count = (): Promise<number> =>
    estimates === null ? countMatching(counted, database) : countLinked({ collection, match }, estimates, database);
  return { kept: totals.kept(counted), count: () => totals.read(counted, count, database) };
}

/**
 * Returns the total of a list without any condition: the number from the metadata of the collection, which costs nothing. It is not exact
 * on a sharded cluster, which counts entries twice while it moves them, nor after a crash of the server. There, and for a page that is
 * read from the end, all entries are counted.
 */
function totalOfAll(
  { collection, window }: Page,
  { database, totals }: Omit<TotalContext, 'estimates'>,
): PageTotal | Promise<PageTotal> {
  const counted = { collection, match: present, condition: always };
  const exact = {
    kept: totals.kept(counted),
    count: () => totals.read(counted, () => countMatching(counted, database), database),
  };
  if (database.isSharded || exact.kept !== null) return exact;
  const count = (): Promise<number> => countStored(collection, database);
  if (window.skip < far) return { kept: null, count };
  return count().then(async (stored) =>
    isNearEnd(window, stored) ? { ...exact, kept: await exact.count() } : { kept: stored, count },
  );
}

/** A filter that all documents meet, and that an index counts. */
const present = { _id: { $gte: new MinKey() } };
const always: Condition = { kind: 'and', conditions: [] };

interface Matching {
  readonly collection: string;
  readonly match: Document;
}

const countMatching = async ({ collection, match }: Matching, database: Database): Promise<number> =>
  Number((await runRead(database, { count: collection, query: match }))['n']);

/** The command that reads the count is not allowed in a transaction. */
async function countInTransaction(collection: string, match: Document, database: Database): Promise<number> {
  const pipeline = [{ $match: match }, { $count: 'n' }];
  const [counted] = await readAll(database, { aggregate: collection, pipeline, cursor: {} });
  return Number(counted?.['n'] ?? 0);
}

/** Plans whose page was not full when it was read last. */
const short = new WeakSet<Plan>();

interface TotalRead {
  readonly read: () => Promise<readonly Loaded[]>;
  readonly total: PageTotal;
}

interface CountedPage {
  readonly entries: readonly Loaded[];
  readonly total: number;
}

/**
 * Reads a page and its total. The total follows from a page that is not full, so nothing is counted after it; if that is likely the page is
 * read first, otherwise both are read at the same time.
 */
async function readWithTotal(plan: Plan, { window }: Page, { read, total }: TotalRead): Promise<CountedPage> {
  const impliedTotal = (entries: readonly Loaded[]): number | null =>
    entries.length < (window.limit ?? Infinity) && (entries.length > 0 || window.skip === 0)
      ? window.skip + entries.length
      : null;
  if (total.kept !== null) {
    const entries = await read();
    return { entries, total: impliedTotal(entries) ?? total.kept };
  }
  const note = (entries: readonly Loaded[]): void => void (impliedTotal(entries) === null ? short.delete(plan) : short.add(plan));
  if (short.has(plan) || leadsToFew(plan.condition, plan.type)) {
    const entries = await read();
    note(entries);
    return { entries, total: impliedTotal(entries) ?? (await total.count()) };
  }
  const [entries, counted] = await Promise.all([read(), total.count()]);
  note(entries);
  return { entries, total: counted };
}

/** Whether a condition names the values of a unique attribute. */
function leadsToFew(condition: Condition | null, type: ContentType): boolean {
  if (condition === null) return false;
  if (condition.kind === 'and') return condition.conditions.some((inner) => leadsToFew(inner, type));
  if (condition.kind !== 'comparison' || condition.denied || condition.comparator !== 'eq') return false;
  const attribute = type.attributes.get(condition.path);
  return condition.path === '_id' || (attribute?.kind === 'scalar' && attribute.unique);
}
