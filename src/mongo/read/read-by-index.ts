import type { Db, Document } from 'mongodb';
import { BoundedCache } from '../../caches.js';
import { readAll, type Database } from '../database.js';
import { isTimedOut, isWithoutIndex } from '../driver-errors.js';
import { compilePage, compileSort, type Page } from './compile-page.js';

/** Indexes of a database that were chosen wrongly, by the form of the query, with the time until which they are not chosen again. */
const databases = new WeakMap<Db, BoundedCache<number>>();

function refusedOf({ db }: Database): BoundedCache<number> {
  const refused = databases.get(db) ?? new BoundedCache<number>({ entries: 500, bytes: 500_000 });
  databases.set(db, refused);
  return refused;
}

/** Milliseconds that an index is not chosen again. */
const refusedFor = 60_000;

/** Milliseconds until an index that was chosen wrongly is given up. */
const chosen = 1_000;

/** The form of a query that is read by an index. */
const formOf = ({ collection, match, sort }: Page, index: string): string =>
  JSON.stringify([collection, index, Object.keys(match), Object.keys(compileSort(sort))]);

/**
 * Reads a page by the index that was chosen for it; as the server plans it if there is none, it is not built, or it takes too long. If the
 * server is faster then, the index was wrong, and is not named for queries of this form for a while: such a query would be run twice.
 */
export async function readChosen(page: Page, index: string | null, database: Database): Promise<readonly Document[]> {
  const command = compilePage(page);
  if (index === null || database.session !== null) return readAll(database, command);
  const form = formOf(page, index);
  const refused = refusedOf(database);
  if ((refused.get(form) ?? 0) > Date.now()) return readAll(database, command);
  // The server alone keeps this limit: a timer of this process would also end queries while the process is busy.
  const limit = Math.min(database.maxTimeMS.read, chosen);
  try {
    return await readAll(database, { ...command, hint: index, maxTimeMS: limit });
  } catch (error) {
    if (!isTimedOut(error) && !isWithoutIndex(error)) throw error;
    const begun = Date.now();
    const documents = await readAll(database, command);
    if (Date.now() - begun < limit) refused.set(form, Date.now() + refusedFor, 0);
    return documents;
  }
}

interface Ordered {
  /** The index of the sort. */
  readonly index: string;
  /** Whether the server has to use it. Otherwise it may know a better one. */
  readonly isNamed: boolean;
}

/** Reads a page in the order of an index; null if that takes too long, or has taken too long lately. */
export async function readOrdered(
  page: Page,
  { index, isNamed }: Ordered,
  database: Database,
): Promise<readonly Document[] | null> {
  const form = formOf(page, index);
  const refused = refusedOf(database);
  if ((refused.get(form) ?? 0) > Date.now()) return null;
  const maxTimeMS = Math.min(database.maxTimeMS.read, chosen);
  try {
    return await readAll(database, { ...compilePage(page), ...(isNamed && { hint: index }), maxTimeMS });
  } catch (error) {
    if (!isTimedOut(error) && !isWithoutIndex(error)) throw error;
    refused.set(form, Date.now() + refusedFor, 0);
    return null;
  }
}
