import type { Db, Document } from 'mongodb';
import { aggregate, count } from './baseline-handler.js';

/** Totals by collection and filter: the product keeps those, too, until something is written. */
const kept = new Map<string, Promise<number>>();

/** The same of filters other than the publication state, which any update may change. */
const filtered = new Map<string, Promise<number>>();

/** Returns how many documents meet a filter: `count`, or one of those below, which count once. */
export type ReadTotal = (db: Db, collection: string, filter: Document) => Promise<number>;

/** Counts once until `forgetTotals`; without a filter the server knows the number. */
export const keepTotal = (db: Db, collection: string, filter?: Document): Promise<number> =>
  filter === undefined ? count(db, collection) : keepIn(kept, () => count(db, collection, filter), [collection, filter]);

/** Counts once until anything is written. */
export const keepFiltered = (db: Db, collection: string, filter: Document): Promise<number> =>
  keepIn(filtered, () => count(db, collection, filter), [collection, filter]);

/** Counts groups of localizations once until anything is written. */
export const keepGroups = (db: Db, collection: string, filter: Document): Promise<number> => {
  const stages = [{ $match: filter }, { $group: { _id: '$_group' } }, { $count: 'n' }];
  const read = async (): Promise<number> => Number((await aggregate(db, collection, stages, 1))[0]?.['n'] ?? 0);
  return keepIn(filtered, read, [collection, filter, 'groups']);
};

function keepIn(totals: typeof kept, read: () => Promise<number>, counted: unknown): Promise<number> {
  const key = JSON.stringify(counted);
  const total = totals.get(key) ?? read();
  totals.set(key, total);
  return total;
}

/** Called by what creates entries. */
export const forgetTotals = (): void => {
  kept.clear();
  filtered.clear();
};

/** Called by what updates entries. */
export const forgetFiltered = (): void => {
  filtered.clear();
};
