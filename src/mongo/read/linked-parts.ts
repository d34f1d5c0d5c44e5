import type { Document } from 'mongodb';
import { unlimited } from '../../limits/budget.js';
import { type Database, readAll, runRead } from '../database.js';
import { isWithoutIndex } from '../driver-errors.js';
import { byShare, type IndexedLink, type LinkEstimates } from './choose-index.js';
import type { Page } from './compile-page.js';

/** A filter on linked entries, and its collection. */
type Filtered = Pick<Page, 'collection' | 'match'>;

/** Disjoint conditions on ids. Each entry that meets the filter meets exactly one of them. */
export type Parts = readonly Document[];

/** Maximum number of ids in one command, whose documents are read in a tenth of a second, even from disk. */
export const idsAtOnce = 5_000;

/** Number of ids in the range of one command. */
const rangeAtOnce = 50_000;

/** Maximum number of ranges. If there would be more, the entries are read by one command, within the time limit of a command. */
const mostRanges = 200;

/** Maximum share of a collection whose entries are read by their ids. A larger share is more expensive than all entries. */
const largestShare = 1 / 8;

/** Maximum number of ids in memory for a request. */
const mostIds = 200_000;

/** Number of entries to read above which the ids of two relations are intersected first. */
const fewest = 500;

/** Number of index keys that are read in the time of one entry. */
const keysPerEntry = 8;

/**
 * Returns the parts in which the entries of a filter are read; null if they are few enough for one command. Entries in the order
 * of an index are scattered over the collection, and reading them takes twice as long as in the order of their ids if the
 * collection is larger than the cache of the server. Also, no part exceeds the time limit, however many requests do the same.
 * Indexes contain the ids, so listing ids reads no documents. If it leaves fewer documents to read, the ids of several indexes
 * are intersected here.
 */
export async function listParts(filtered: Filtered, { all, links }: LinkEstimates, database: Database): Promise<Parts | null> {
  const [first, ...others] = byShare(links);
  if (first === undefined) return null;
  const entries = all * first.share;
  const pays = ({ share }: IndexedLink): boolean =>
    all * share < Math.min(keysPerEntry * entries * (1 - share), mostIds) && entries > fewest;
  const compared = others.filter(pays);
  if (entries <= idsAtOnce && compared.length === 0) return null;
  if (first.share > largestShare || entries > mostIds) return listRanges(filtered, all, database);
  const lists = await Promise.all([first, ...compared].map((link) => readIds(filtered, link, database)));
  // the shares are estimates
  if (lists.some((list) => list !== null && list.length > mostIds)) return listRanges(filtered, all, database);
  const [ids, ...further] = lists.flatMap((list) => list ?? []);
  return ids === undefined || further.length < compared.length ? null : cut(further.reduce(intersect, ids));
}

/** Counts the entries of a filter. Reads no documents if an index of a relation contains all values of the filter. */
export async function countLinked(filtered: Filtered, estimates: LinkEstimates, database: Database): Promise<number> {
  const [best] = byShare(estimates.links);
  const isCovered = best !== undefined && Object.keys(filtered.match).every((path) => path in best.index.key);
  const parts = isCovered ? null : await listParts(filtered, estimates, database);
  if (parts === null) return countMatching(filtered, database);
  const inTurn = forParts(database);
  let total = 0;
  for (const part of parts) total += await countMatching(filtered, inTurn, part);
  return total;
}

/**
 * Returns the database for commands on one part after the other. All of them count against the time limit of the request, even
 * quick ones.
 */
export const forParts = (database: Database): Database => ({ ...database, time: database.time.countingAll() });

/** Counts the entries of a filter; with `part`, those of a part, which are read by their ids. */
async function countMatching({ collection, match }: Filtered, database: Database, part?: Document): Promise<number> {
  const query = part === undefined ? { query: match } : { query: { $and: [part, match] }, hint: '_id_' };
  const reply = await runRead(database, { count: collection, ...query });
  return Number(reply['n']);
}

/**
 * Returns the sorted ids of the entries that an index finds, at most one more than the maximum; null if the index is not built.
 */
async function readIds(
  { collection, match }: Filtered,
  { index: { name, key } }: IndexedLink,
  database: Database,
): Promise<Float64Array | null> {
  const conditions = [match, ...((match['$and'] ?? []) as readonly Document[])]; // compiled to this form
  const inIndex = conditions.map((one) => Object.fromEntries(Object.entries(one).filter(([path]) => path in key)));
  const pipeline = [{ $match: { $and: inIndex } }, { $limit: mostIds + 1 }, { $group: { _id: null, ids: { $push: '$_id' } } }];
  try {
    const [group] = await readAll(
      { ...database, budget: unlimited },
      { aggregate: collection, pipeline, cursor: {}, hint: name },
    );
    return Float64Array.from((group?.['ids'] ?? []) as readonly number[]).sort(); // grouped into this array
  } catch (error) {
    if (isWithoutIndex(error)) return null;
    throw error;
  }
}

function intersect(ids: Float64Array, others: Float64Array): Float64Array {
  const known = new Set(others);
  return ids.filter((id) => known.has(id));
}

const cut = (ids: Float64Array): Parts =>
  Array.from({ length: Math.ceil(ids.length / idsAtOnce) }, (_, part) => ({
    _id: { $in: [...ids.subarray(part * idsAtOnce, (part + 1) * idsAtOnce)] },
  }));

/**
 * Returns ranges of ids with a bounded number of entries in each; null if there are too many ranges, or far more ids than
 * entries.
 */
async function listRanges({ collection }: Filtered, all: number, database: Database): Promise<Parts | null> {
  const [first, last] = await Promise.all([1, -1].map((order) => readEnd(collection, order, database)));
  if (first === undefined || last === undefined || last - first > 4 * all) return null;
  const parts = Math.ceil((last - first + 1) / rangeAtOnce);
  if (parts > mostRanges) return null;
  return Array.from({ length: parts }, (_, part) => {
    const $gte = first + part * rangeAtOnce;
    return { _id: { $gte, $lt: $gte + rangeAtOnce } };
  });
}

async function readEnd(collection: string, order: number, database: Database): Promise<number | undefined> {
  const command = { find: collection, projection: { _id: 1 }, sort: { _id: order }, limit: 1 };
  const [row] = await readAll({ ...database, budget: unlimited }, command);
  return row === undefined ? undefined : Number(row['_id']);
}
