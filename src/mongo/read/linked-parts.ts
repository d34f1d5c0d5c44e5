import type { Document } from 'mongodb';
import { unlimited } from '../../query/budget.js';
import { type Database, readAll, runRead } from '../database.js';
import { isWithoutIndex } from '../driver-errors.js';
import { byShare, type IndexedLink, type LinkEstimates } from './choose-index.js';
import type { Page } from './compile-page.js';

/** The entries of a filter on linked entries. */
type Filtered = Pick<Page, 'collection' | 'match'>;

/** Conditions on ids, which no entry meets two of: all entries that meet a filter meet one of them. */
export type Parts = readonly Document[];

/** Ids of one command: the documents behind them are read in a tenth of a second, even from the disk. */
export const idsAtOnce = 5_000;

/** Entries of one command that looks at a range of ids. */
const rangeAtOnce = 50_000;

/** Ranges of a filter: with more of them, one command has the time limit of all others. */
const mostRanges = 200;

/** The ids of at most this share of a collection are read; to look at all its entries is cheaper than more of them by their ids. */
const largestShare = 1 / 8;

/** Ids that are held for a request. */
const mostIds = 200_000;

/** Entries to look at from which on the ids of two relations are compared first. */
const fewest = 500;

/** Keys of an index that are read in the time that one entry takes. */
const keysPerEntry = 8;

/**
 * Returns the parts in which the entries of a filter are read; null if they are few enough for one command. By the index of a
 * relation entries come from all over the collection, which takes twice the time of their own order if that is larger than the cache of the
 * server; and no part exceeds the time limit, however many requests do the same. Indexes contain the ids, so no
 * documents are read for them: the ids of two indexes are intersected here if that leaves fewer documents to read.
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

/** Counts the entries of a filter; reads their documents unless an index of a relation contains all values of the filter. */
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

/** The database for commands on one part after the other: all of them count against the time of the request, however quick they are. */
export const forParts = (database: Database): Database => ({ ...database, time: database.time.countingAll() });

/** Counts all, or those of one part, which are read by their ids. */
async function countMatching({ collection, match }: Filtered, database: Database, part?: Document): Promise<number> {
  const query = part === undefined ? { query: match } : { query: { $and: [part, match] }, hint: '_id_' };
  const reply = await runRead(database, { count: collection, ...query });
  return Number(reply['n']);
}

/** The ids of the entries that an index leads to, in their order, no more than one over the maximum; null if it is not built. */
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

/** Returns ranges of ids with a bounded number of entries in each; null if there are too many, or many more ids than entries. */
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
