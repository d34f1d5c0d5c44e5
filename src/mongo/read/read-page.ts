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
  const { condition, scope, withTotal, selection } = plan;
  const resolved = await resolveRelated(condition, context.database);
  const database = asksForRelated(condition) ? asScanned(context.database) : context.database;
  const match = compileCondition(condition, resolved);
  if (match === nothing) return { entries: [], total: withTotal ? 0 : null };
  const page = pageOf(plan, match, database);
  if (withTotal && condition !== scope && condition !== null && isScanned(plan, condition, { registry, database })) {
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
    if (sortsByComputed(page.sort)) return readComputed(plan, page, database);
    if (chosen !== null) return readChosen(page, chosen.name, database);
    const isNatural = isUnordered(plan, page, registry) && (await isSortedNaturally(plan, page, { database, totals }));
    return readDocuments(page, { total: total?.kept ?? null, hint: isNatural ? naturally : {} }, database);
  };
  const read = async (): Promise<LoadedPage['entries']> => readEntries(selection, await find(), database);
  return total === null ? { entries: await read(), total: null } : readWithTotal(plan, page, { read, total });
}

/** Reads a page in the order of computed values. */
const readComputed = async (plan: Plan, page: Page, database: Database): Promise<readonly Document[]> =>
  (await walkTargets(plan, page, database)) ?? readAll(database, compilePage(page));

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
  if (limit === null || !isInSecondHalf({ skip }, total) || isRanked || sortsByComputed(sort)) return null;
  const keys = sort.length === 0 ? [byId] : sort;
  const left = total - skip;
  return {
    ...page,
    sort: keys.map((key) => ({ ...key, order: key.order === 1 ? -1 : 1 })),
    window: { skip: Math.max(left - limit, 0), limit: Math.min(limit, left) },
  };
}

const isAfterEnd = ({ window: { skip } }: Page, total: number | null): boolean => total !== null && skip > 0 && skip >= total;

const isInSecondHalf = ({ skip }: Pick<Page['window'], 'skip'>, total: number): boolean => skip > total / 2;

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

/** The total of a page. `kept` is the known total; null if it must be counted. */
interface PageTotal {
  readonly kept: number | null;
  readonly count: () => Promise<number>;
}

/**
 * Number of skipped entries from which on the total is determined before the page is read, because the page may then be read from
 * the end, or not at all.
 */
const far = 1_000;

/** Returns the total of a page; counted, if it is not known and the page is far from the beginning. */
const countIfFar = async ({ window }: Page, total: PageTotal): Promise<PageTotal> =>
  total.kept === null && window.skip >= far ? { ...total, kept: await total.count() } : total;

interface TotalContext extends Omit<PageContext, 'registry'> {
  /** The estimates for conditions on linked entries; null if there are none. */
  readonly estimates: LinkEstimates | null;
}

/** Returns the total of a plan if it is known, and how to count it otherwise. */
function totalOf(plan: Plan, page: Page, { database, totals, estimates }: TotalContext): PageTotal | Promise<PageTotal> {
  const { match, collection } = page;
  const { condition, scope } = plan;
  if (database.session !== null) return { kept: null, count: () => countInTransaction(collection, match, database) };
  if (condition === null) return totalOfAll(page, { database, totals });
  const counted = { collection, match, condition: condition === scope ? condition : null };
  const count = (): Promise<number> =>
    estimates === null ? countMatching(counted, database) : countLinked({ collection, match }, estimates, database);
  return { kept: totals.kept(counted), count: () => totals.read(counted, count, database) };
}

/**
 * Returns the total of a list without any condition: the number in the metadata of the collection, which costs nothing. This
 * number is not exact on a sharded cluster, where entries that are being moved count twice, and after a crash of the server. On a
 * sharded cluster, and for a page in the second half of the list, all entries are counted.
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
    isInSecondHalf(window, stored) ? { ...exact, kept: await exact.count() } : { kept: stored, count },
  );
}

/** A filter that all documents meet and for which an index is used to count. */
const present = { _id: { $gte: new MinKey() } };
const always: Condition = { kind: 'and', conditions: [] };

interface Matching {
  readonly collection: string;
  readonly match: Document;
}

const countMatching = async ({ collection, match }: Matching, database: Database): Promise<number> =>
  Number((await runRead(database, { count: collection, query: match }))['n']);

/** Counts entries by an aggregation, because a transaction does not allow the `count` command. */
async function countInTransaction(collection: string, match: Document, database: Database): Promise<number> {
  const pipeline = [{ $match: match }, { $count: 'n' }];
  const [counted] = await readAll(database, { aggregate: collection, pipeline, cursor: {} });
  return Number(counted?.['n'] ?? 0);
}

/** Plans whose page was not full at the last read. */
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
 * Reads a page and its total. If the page is not full, the total follows from it. If that is likely, the page is read first, and
 * entries are counted only if it is full; otherwise both are read concurrently.
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

/** Returns whether a condition demands a value of a unique attribute. */
function leadsToFew(condition: Condition | null, type: ContentType): boolean {
  if (condition === null) return false;
  if (condition.kind === 'and') return condition.conditions.some((inner) => leadsToFew(inner, type));
  if (condition.kind !== 'comparison' || condition.denied || condition.comparator !== 'eq') return false;
  const attribute = type.attributes.get(condition.path);
  return condition.path === '_id' || (attribute?.kind === 'scalar' && attribute.unique);
}
