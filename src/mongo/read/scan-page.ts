import type { Document } from 'mongodb';
import type { Condition, Plan } from '../../query/plan.js';
import type { Registry } from '../../schema/content-type.js';
import type { TotalCache } from '../total-cache.js';
import { chooseOrder, readChosen } from './choose-index.js';
import { compilePage, compileSort, sortsByComputed, type Page } from './compile-page.js';
import { readAll, type Database } from '../database.js';
import { anyIndex, isServed, leadingFields } from './is-served.js';
import type { Parts } from './linked-parts.js';

/** The entries in front of the end of a page that a scan keeps at most. */
const mostKept = 1_000;

interface ScanContext {
  readonly registry: Registry;
  readonly database: Database;
}

/** Whether a page is so near to the first that a scan can keep all entries up to its end. */
export const isNear = ({ sort, window }: Pick<Plan, 'sort' | 'window'>): boolean =>
  !sortsByComputed(sort) && window.limit !== null && window.skip + window.limit <= mostKept;

/**
 * Returns whether one pass over the entries reads a page and its total: no index leads to just those that meet the condition, so that
 * counting them looks at more entries in any case.
 */
export function isScanned(plan: Plan, condition: Condition, { registry, database }: ScanContext): boolean {
  if (!isNear(plan)) return false;
  const leading = leadingFields(plan.type, registry);
  // trigrams find entries that do not meet the condition, too
  return !isServed(condition, { ...anyIndex(database), leads: (path) => leading.has(path), serves: () => false });
}

/** Documents of a page, and the total. */
interface ScannedPage {
  readonly documents: readonly Document[];
  readonly total: number;
}

/** A page of entries that no index leads to. */
interface Scanning {
  readonly plan: Plan;
  readonly condition: Condition;
  readonly page: Page;
}

/** Reads such a page and its total: by one pass if the total is not known, otherwise the page alone, in the order of an index if that is shorter. */
export async function readScanned(
  scanning: Scanning,
  { totals, ...context }: ScanContext & { readonly totals: TotalCache },
): Promise<ScannedPage> {
  const { plan, page } = scanning;
  const { database } = context;
  if (database.session !== null) return scanPage(scanning, database);
  const scanned: ScannedPage[] = [];
  const total = await totals.read({ ...page, condition: null }, async () => {
    scanned.push(await scanPage(scanning, database));
    return scanned[0]?.total ?? 0;
  });
  if (scanned[0] !== undefined) return scanned[0];
  if (total <= page.window.skip) return { documents: [], total };
  const index = await chooseOrder(plan, total, context);
  if (index !== null) return { documents: await readChosen(page, index, database), total };
  return { documents: await readAll(database, { ...compilePage(page), ...hintFor(scanning, database) }), total };
}

/** Reads a page and its total by one pass, and then the documents of the page. */
async function scanPage(scanning: Scanning, database: Database): Promise<ScannedPage> {
  const { page } = scanning;
  const { ids, total } = await scan(page, hintFor(scanning, database), database);
  const { skip } = page.window;
  return { documents: await readKept({ ...page, window: { ...page.window, skip: 0 } }, ids.slice(skip), database), total };
}

/**
 * Where no index can serve the condition, an operator's own neither, the collection is read in its natural order, which is two to five
 * times cheaper than by an index that leads to most entries.
 */
const hintFor = ({ condition }: Scanning, database: Database): Document =>
  isServed(condition, anyIndex(database)) ? {} : { hint: { $natural: 1 } };

/** Reads a page and its total by a pass over each part of the entries, and then the documents of the page. */
export async function scanParts(page: Page, parts: Parts, database: Database): Promise<ScannedPage> {
  const kept: unknown[] = [];
  let total = 0;
  for (const part of parts) {
    const scanned = await scan({ ...page, match: { $and: [part, page.match] } }, { hint: '_id_' }, database);
    kept.push(...scanned.ids);
    total += scanned.total;
  }
  return { documents: await readKept(page, kept, database), total };
}

/** The ids of the first entries of a pass, up to the end of the page, and how many there are in all. */
async function scan(
  { collection, match, sort, window: { skip, limit } }: Page,
  hint: Document,
  database: Database,
): Promise<{ readonly ids: readonly unknown[]; readonly total: number }> {
  const ids = { $topN: { n: skip + (limit ?? mostKept), sortBy: compileSort(sort), output: '$_id' } };
  const pipeline = [{ $match: match }, { $group: { _id: null, total: { $sum: 1 }, ids } }];
  const [group] = await readAll(database, { aggregate: collection, pipeline, cursor: {}, ...hint });
  return { ids: (group?.['ids'] ?? []) as readonly unknown[], total: Number(group?.['total'] ?? 0) }; // grouped into this array
}

/** Reads the documents of a page from the entries that were kept. One that has changed in between meets the condition no more. */
async function readKept(page: Page, ids: readonly unknown[], database: Database): Promise<readonly Document[]> {
  if (ids.length === 0) return [];
  return readAll(database, { ...compilePage({ ...page, match: { $and: [{ _id: { $in: ids } }, page.match] } }), hint: '_id_' });
}
