import type { Db } from 'mongodb';
import { BoundedCache, memoize } from '../../../caches.js';
import type { Database } from '../../send/database.js';
import { isTimedOut, isWithoutIndex } from '../../send/driver-errors.js';
import { compileSort, type Page } from '../compile-page.js';

/** Returns the forms of queries for which an index was a wrong choice, with the time until which it is not chosen again. */
const refusedOf = memoize<Db, BoundedCache<number>>(() => new BoundedCache({ entries: 500, bytes: 500_000 }));

/** Milliseconds until an index may be chosen again. */
const refusedFor = 60_000;

/** Maximum milliseconds of a read by a chosen index. */
const longestTry = 1_000;

/** A page, and the index that was chosen for it. */
interface Choice {
  readonly page: Page;
  readonly index: string;
}

interface Attempts<Result> {
  /**
   * Reads by the index, within `limit` milliseconds. Only the server applies this limit, because a timer of this process would
   * also end the read when the process is busy.
   */
  readonly byIndex: (limit: number) => Promise<Result>;
  readonly otherwise: () => Promise<Result>;
}

/**
 * Reads a page by the index that was chosen for it. If the index is not built or takes too long, reads it in the other way. If
 * the other way is faster, the index is not used for queries of this form for a while, because each of them would run twice.
 */
export async function tryIndex<Result>(
  { page, index }: Choice,
  { byIndex, otherwise }: Attempts<Result>,
  database: Database,
): Promise<Result> {
  const form = JSON.stringify([page.collection, index, Object.keys(page.match), Object.keys(compileSort(page.sort))]);
  const refused = refusedOf(database.db);
  if ((refused.get(form) ?? 0) > Date.now()) return otherwise();
  const limit = Math.min(database.maxTimeMS.read, longestTry);
  try {
    return await byIndex(limit);
  } catch (error) {
    if (!isTimedOut(error) && !isWithoutIndex(error)) throw error;
    const begun = Date.now();
    const result = await otherwise();
    if (Date.now() - begun < limit) refused.set(form, Date.now() + refusedFor, 0);
    return result;
  }
}
