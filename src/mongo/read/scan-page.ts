import type { Document } from 'mongodb';
import type { Condition, Plan } from '../../query/plan.js';
import type { Registry } from '../../schema/content-type.js';
import type { Pass, TotalCache } from '../total-cache.js';
import { chooseOrder } from './choose-index.js';
import { tryIndex } from './read-by-index.js';
import { compilePage, compileSort, sortsByComputed, type Page } from './compile-page.js';
import { asScanned, readAll, type Database } from '../database.js';
import { anyIndex, isServed, leadingFields, leadsBy } from './is-served.js';
import { isNaturalBest, mayBeServed, naturally } from './natural-order.js';
import { forParts, idsAtOnce, type Parts } from './linked-parts.js';

/** Maximum number of entries up to the end of a page that a scan keeps in memory. */
const mostKept = 1_000;

interface ScanContext {
  readonly registry: Registry;
  readonly database: Database;
}

/** Returns whether a page is so near to the beginning that a scan can keep all entries up to its end. */
export const isNear = ({ sort, window }: Pick<Plan, 'sort' | 'window'>): boolean =>
  !sortsByComputed(sort) && window.limit !== null && window.skip + window.limit <= mostKept;

/**
 * Returns whether a page and its total are read by one pass over the entries. This is so if no index finds only the entries that
 * meet the condition, so that counting examines more entries in any case.
 */
export function isScanned(plan: Plan, condition: Condition, { registry, database }: ScanContext): boolean {
  if (!isNear(plan)) return false;
  const leading = leadingFields(plan.type, registry);
  // trigrams also find entries that do not meet the condition
  return !isServed(condition, { ...anyIndex(database), ...leadsBy(leading), serves: () => false });
}

/** Documents of a page, and the total. */
interface ScannedPage {
  readonly documents: readonly Document[];
  readonly total: number;
}

/** A page of entries that no index finds. */
interface Scanning {
  readonly plan: Plan;
  readonly page: Page;
}

/**
 * Reads a page of entries that no index finds, and its total, by one pass over the collection. If the total is known, and an
 * index with the order of the sort makes it likely that few entries are examined, reads the page by that index.
 */
export async function readScanned(
  scanning: Scanning,
  { totals, ...context }: ScanContext & { readonly totals: TotalCache },
): Promise<ScannedPage> {
  const { database } = context;
  const scan = (): Promise<ScannedPage> => scanPage(scanning, totals, database);
  if (database.session !== null) return scan();
  const total = totals.kept({ ...scanning.page, condition: null });
  const index = total === null ? null : await chooseOrder(scanning.plan, total, context);
  if (total === null || index === null) return scan();
  const byIndex = async (maxTimeMS: number): Promise<ScannedPage | null> => {
    const documents = await readInOrder(scanning, { hint: index, maxTimeMS }, database);
    return documents && { documents, total };
  };
  return (await tryIndex({ page: scanning.page, index }, { byIndex, otherwise: scan }, database)) ?? scan();
}

interface OrderedRead {
  readonly hint: string;
  readonly maxTimeMS: number;
}

/** Reads a full page in the order of its sort; null if the page is not full, so that the total has changed. */
async function readInOrder(
  { plan, page }: Scanning,
  { hint, maxTimeMS }: OrderedRead,
  database: Database,
): Promise<readonly Document[] | null> {
  const isOnly = !(await mayBeServed(plan, database)); // otherwise the server may know a better index
  const documents = await readAll(database, { ...compilePage(page), ...(isOnly && { hint }), maxTimeMS });
  return documents.length === page.window.limit ? documents : null;
}

/**
 * Reads a page and its total by one pass, which concurrent equal requests share, and then the documents of the page.
 */
async function scanPage({ page, plan }: Scanning, totals: TotalCache, database: Database): Promise<ScannedPage> {
  const hint = (await isNaturalBest(plan, { database, totals })) ? naturally : {};
  const run = (): Promise<Pass> => scan(page, hint, asScanned(database));
  const { collection, match, sort, window } = page;
  const passing = { collection, match, order: compileSort(sort), end: endOf(window) };
  const { ids, total } = await (database.session === null ? totals.pass(passing, run, database) : run());
  const { skip } = window;
  return { documents: await readKept({ ...page, window: { ...page.window, skip: 0 } }, ids.slice(skip), database), total };
}

/**
 * Reads a page and its total by a pass over each part of the entries, and then the documents of the page. Once there are more ids
 * than one command may have, the server determines the first of them.
 */
export async function scanParts(page: Page, parts: Parts, database: Database): Promise<ScannedPage> {
  const inTurn = forParts(database);
  const scanPart = (part: Document) => scan({ ...page, match: { $and: [part, page.match] } }, { hint: '_id_' }, inTurn);
  let kept: readonly unknown[] = [];
  let total = 0;
  for (const part of parts) {
    const scanned = await scanPart(part);
    if (kept.length + scanned.ids.length > idsAtOnce) kept = (await scanPart({ _id: { $in: kept } })).ids;
    kept = [...kept, ...scanned.ids];
    total += scanned.total;
  }
  return { documents: await readKept(page, kept, database), total };
}

/** Returns the ids of the first entries of a pass, up to the end of the page, and the number of all entries. */
async function scan({ collection, match, sort, window }: Page, hint: Document, database: Database): Promise<Pass> {
  const ids = { $topN: { n: endOf(window), sortBy: compileSort(sort), output: '$_id' } };
  const pipeline = [{ $match: match }, { $group: { _id: null, total: { $sum: 1 }, ids } }];
  const [group] = await readAll(database, { aggregate: collection, pipeline, cursor: {}, ...hint });
  return { ids: (group?.['ids'] ?? []) as readonly unknown[], total: Number(group?.['total'] ?? 0) }; // grouped into this array
}

/** Returns the number of entries up to the end of a page. */
const endOf = ({ skip, limit }: Page['window']): number => skip + (limit ?? mostKept);

/**
 * Reads the documents of a page among the entries that a pass has found. An entry that has changed meanwhile and no longer meets
 * the condition is left out.
 */
async function readKept(page: Page, ids: readonly unknown[], database: Database): Promise<readonly Document[]> {
  if (ids.length === 0) return [];
  return readAll(database, { ...compilePage({ ...page, match: { $and: [{ _id: { $in: ids } }, page.match] } }), hint: '_id_' });
}
