import type { Document } from 'mongodb';
import type { Condition, Plan } from '../../query/plan.js';
import type { Registry } from '../../schema/content-type.js';
import { compileSort, sortsByComputed, type Page } from './compile-page.js';
import { readAll, type Database } from '../database.js';
import { anyIndex, isServed, leadingFields } from './is-served.js';

/** The entries in front of the end of a page that a scan keeps at most. */
const mostKept = 1_000;

interface ScanContext {
  readonly registry: Registry;
  readonly database: Database;
}

/**
 * Returns whether one pass over the entries reads a page and its total: no index leads to just those that meet the condition, so that
 * counting them looks at more entries in any case.
 */
export function isScanned({ type, sort, window }: Plan, condition: Condition, { registry, database }: ScanContext): boolean {
  if (sortsByComputed(sort) || window.limit === null || window.skip + window.limit > mostKept) return false;
  const leading = leadingFields(type, registry);
  // trigrams find entries that do not meet the condition, too
  return !isServed(condition, { ...anyIndex(database), leads: (path) => leading.has(path), serves: () => false });
}

/** Documents of a page, and the total. */
interface ScannedPage {
  readonly documents: readonly Document[];
  readonly total: number;
}

/**
 * Reads a page and its total by one pass, and then the documents of the page. Where no index can serve the condition, an operator's
 * own neither, the pass reads the collection in its natural order, which is two to five times cheaper than by an index that leads to
 * most entries.
 */
export async function scanPage(
  { collection, match, sort, window: { skip, limit }, projection }: Page,
  condition: Condition,
  database: Database,
): Promise<ScannedPage> {
  const ids = { $topN: { n: skip + (limit ?? mostKept), sortBy: compileSort(sort), output: '$_id' } };
  const pipeline = [{ $match: match }, { $group: { _id: null, total: { $sum: 1 }, ids } }];
  const hint = isServed(condition, anyIndex(database)) ? {} : { hint: { $natural: 1 } };
  const [group] = await readAll(database, { aggregate: collection, pipeline, cursor: {}, ...hint });
  const shown = ((group?.['ids'] ?? []) as readonly unknown[]).slice(skip); // grouped into this array
  if (shown.length === 0) return { documents: [], total: Number(group?.['total'] ?? 0) };
  // an entry that has changed in between meets the condition no more, and is left out
  const filter = { $and: [{ _id: { $in: shown } }, match] };
  const rows = await readAll(database, { find: collection, filter, projection, hint: { _id: 1 } });
  const byId = new Map(rows.map((row) => [row['_id'] as unknown, row]));
  return { documents: shown.flatMap((id) => byId.get(id) ?? []), total: Number(group?.['total']) };
}
