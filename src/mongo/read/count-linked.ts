import type { Document } from 'mongodb';
import { unlimited } from '../../query/budget.js';
import { type Database, readAll, runRead } from '../database.js';
import { isWithoutIndex } from '../driver-errors.js';
import type { LinkEstimates } from './choose-index.js';
import type { Page } from './compile-page.js';
import type { IndexPlan } from './plan-indexes.js';

/** The entries to count. */
type Counted = Pick<Page, 'collection' | 'match'>;

/** Ids of one command: the documents behind them are read in a tenth of a second, even from the disk. */
const idsAtOnce = 5_000;

/** Entries of one command that looks at a range of ids. */
const rangeAtOnce = 50_000;

/** The ids of at most this share of a collection are read; to look at all its entries is cheaper than more of them by their ids. */
const largestShare = 1 / 8;

/** Ids that are held for a count. */
const mostIds = 200_000;

/**
 * Counts the entries that meet conditions on linked entries. Where many have to be looked at, they are looked at in the order of their
 * ids and in parts: by the index of a relation they come from all over the collection, which takes twice the time if this is larger than
 * the cache of the server, and no part takes so long that the time limit is hit, however many requests count at the same time.
 */
export async function countLinked(counted: Counted, estimates: LinkEstimates, database: Database): Promise<number> {
  const { index, share } = narrowest(estimates);
  const isCovered = index !== null && Object.keys(counted.match).every((path) => path in index.key);
  if (index === null || isCovered || estimates.all * share <= idsAtOnce) return countMatching(counted, database);
  const isFew = share <= largestShare && estimates.all * share <= mostIds;
  const parts = isFew ? await listIds(counted, index, database) : await listRanges(counted, estimates.all, database);
  if (parts === null) return countMatching(counted, database);
  let total = 0;
  for (const part of parts) total += await countMatching(counted, database, part);
  return total;
}

/** The condition that the fewest entries meet, of those whose attribute has an index. */
function narrowest({ links }: LinkEstimates): LinkEstimates['links'][number] {
  const [first = { index: null, share: 1 }] = links.filter(({ index }) => index !== null).sort((a, b) => a.share - b.share);
  return first;
}

/** Counts all, or those of one part, which are looked at by their ids. */
async function countMatching({ collection, match }: Counted, database: Database, part?: Document): Promise<number> {
  const query = part === undefined ? { query: match } : { query: { $and: [{ _id: part }, match] }, hint: '_id_' };
  const reply = await runRead(database, { count: collection, ...query });
  return Number(reply['n']);
}

/** The ids of the entries that an index leads to, in parts and in their order; the index tells them without the documents. */
async function listIds(
  { collection, match }: Counted,
  { name, key }: IndexPlan,
  database: Database,
): Promise<readonly Document[] | null> {
  const inIndex = Object.fromEntries(Object.entries(match).filter(([path]) => path in key));
  const pipeline = [{ $match: inIndex }, { $group: { _id: null, ids: { $push: '$_id' } } }];
  try {
    const [group] = await readAll({ ...database, budget: unlimited }, { aggregate: collection, pipeline, cursor: {}, hint: name });
    const ids = Float64Array.from((group?.['ids'] ?? []) as readonly number[]).sort(); // grouped into this array
    const parts = Math.ceil(ids.length / idsAtOnce);
    return Array.from({ length: parts }, (_, part) => ({ $in: [...ids.subarray(part * idsAtOnce, (part + 1) * idsAtOnce)] }));
  } catch (error) {
    if (isWithoutIndex(error)) return null;
    throw error;
  }
}

/** Ranges of ids, in each of which there are at most so many entries; null if there are many more ids than entries. */
async function listRanges({ collection }: Counted, all: number, database: Database): Promise<readonly Document[] | null> {
  const [first, last] = await Promise.all([1, -1].map((order) => readEnd(collection, order, database)));
  if (first === undefined || last === undefined || last - first > 4 * all) return null;
  const parts = Math.ceil((last - first + 1) / rangeAtOnce);
  return Array.from({ length: parts }, (_, part) => {
    const $gte = first + part * rangeAtOnce;
    return { $gte, $lt: $gte + rangeAtOnce };
  });
}

async function readEnd(collection: string, order: number, database: Database): Promise<number | undefined> {
  const command = { find: collection, projection: { _id: 1 }, sort: { _id: order }, limit: 1 };
  const [row] = await readAll({ ...database, budget: unlimited }, command);
  return row === undefined ? undefined : Number(row['_id']);
}
