import type { Db, Document } from 'mongodb';
import { count } from './baseline-handler.js';

/** Totals of whole types by collection and filter: the product keeps those, too, until something is written. */
const kept = new Map<string, Promise<number>>();

/** Counts once until `forgetTotals`; without a filter the server knows the number. */
export function keepTotal(db: Db, collection: string, filter?: Document): Promise<number> {
  if (filter === undefined) return count(db, collection);
  const key = `${collection} ${JSON.stringify(filter)}`;
  const total = kept.get(key) ?? count(db, collection, filter);
  kept.set(key, total);
  return total;
}

/** Called by what creates entries. */
export const forgetTotals = (): void => {
  kept.clear();
};
