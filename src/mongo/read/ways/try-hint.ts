import type { Db, Document } from 'mongodb';
import { BoundedCache, memoize } from '../../../caches.js';
import { isTimedOut, isWithoutIndex } from '../../send/driver-errors.js';
import { factBounds, factTimeout, factLifetime } from '../collection-facts.js';
import { compileSort } from '../compile-page.js';
import type { Facts } from './way.js';

/** Returns the forms of queries for which an index was a wrong choice, with the time until which it is not chosen again. */
const refusedOf = memoize<Db, BoundedCache<number>>(() => new BoundedCache(factBounds));

/**
 * Reads a page by the index that was chosen for it. If it is not built or takes long, lets the server decide, for a while for
 * all queries of this form. Only the server applies this limit, because a timer of this process would also end the read when the
 * process is busy.
 */
export async function tryHint<Result>(facts: Facts, read: (options: Document) => Promise<Result>): Promise<Result> {
  const { hint } = await facts.choice();
  if (typeof hint !== 'string') return read(hint === null ? {} : { hint });
  const { database } = facts;
  const { collection, match, sort } = await facts.page();
  const form = JSON.stringify([collection, hint, Object.keys(match), Object.keys(compileSort(sort))]);
  const refused = refusedOf(database.db);
  if ((refused.get(form) ?? 0) > Date.now()) return read({});
  try {
    return await read({ hint, maxTimeMS: Math.min(database.maxTimeMS.read, factTimeout) });
  } catch (error) {
    if (!isTimedOut(error) && !isWithoutIndex(error)) throw error;
    refused.set(form, Date.now() + factLifetime, 0);
    return read({});
  }
}
