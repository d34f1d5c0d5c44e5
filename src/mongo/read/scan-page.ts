import type { Document } from 'mongodb';
import type { Condition, Plan, Comparator } from '../../query/plan.js';
import { oncePerType } from '../../schema/attribute-places.js';
import type { Registry } from '../../schema/content-type.js';
import { compileSort, oneReply, sortsByComputed, type Page } from './compile-page.js';
import { readAll, type Database } from '../database.js';
import { planIndexes } from './plan-indexes.js';

/** The entries in front of the end of a page that a scan keeps at most. */
const mostKept = 1_000;

/**
 * Returns whether one pass over the entries reads a page and its total: no index leads to those that meet the condition, so that
 * counting them looks at all entries in any case.
 */
export function isScanned({ type, sort, window }: Plan, condition: Condition, registry: Registry): boolean {
  if (sortsByComputed(sort)) return false;
  const leading = leadingFields(type, registry);
  return window.limit !== null && window.skip + window.limit <= mostKept && !isServed(condition, (path) => leading.has(path));
}

/** The paths whose values an index of the service leads to. A locale leads to a large part of a collection. */
const leadingFields = oncePerType((type, registry): ReadonlySet<string> => {
  const fields = planIndexes(type, registry).flatMap(({ key }) => Object.keys(key).slice(0, 1));
  return new Set(['_id', ...fields.filter((field) => field !== 'locale')]);
});

/** Tests that an index on their path can answer. */
const indexable: ReadonlySet<Comparator> = new Set<Comparator>(['eq', 'in', 'lt', 'lte', 'gt', 'gte', 'between', 'startsWith']);

/** Whether indexes on the paths that lead to values find the entries that meet a condition. */
function isServed(condition: Condition, leads: (path: string) => boolean): boolean {
  switch (condition.kind) {
    case 'and':
      return condition.conditions.some((inner) => isServed(inner, leads));
    case 'or':
      return condition.conditions.every((inner) => isServed(inner, leads));
    case 'comparison':
      return !condition.denied && indexable.has(condition.comparator) && leads(condition.path);
    case 'element':
      // an element that has to be read is resolved to ids
      return condition.place !== null || isServed(condition.condition, (path) => leads(`${condition.path}.${path}`));
    case 'related':
      return true;
  }
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
  const hint = isServed(condition, () => true) ? {} : { hint: { $natural: 1 } };
  const [group] = await readAll(database, { aggregate: collection, pipeline, cursor: {}, ...hint });
  const shown = ((group?.['ids'] ?? []) as readonly unknown[]).slice(skip); // grouped into this array
  if (shown.length === 0) return { documents: [], total: Number(group?.['total'] ?? 0) };
  // an entry that has changed in between meets the condition no more, and is left out
  const filter = { $and: [{ _id: { $in: shown } }, match] };
  const rows = await readAll(database, { find: collection, filter, projection, hint: { _id: 1 }, batchSize: oneReply });
  const byId = new Map(rows.map((row) => [row['_id'] as unknown, row]));
  return { documents: shown.flatMap((id) => byId.get(id) ?? []), total: Number(group?.['total']) };
}
