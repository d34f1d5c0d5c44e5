import { MongoServerError } from 'mongodb';
import { translating } from '../send/driver-errors.js';
import type { Database } from '../send/database.js';
import { storedCollections, unlessPresent } from '../send/ensure-collections.js';
import { countMatching } from '../stored.js';

/** Returns the name of a collection while it is being deleted. Collections of content never begin with `_`. */
const asideOf = (name: string): string => `_purged_${name}`;

/** Runs work that may wait for transactions of others. */
const alone = ({ abandoned }: Database, work: () => Promise<unknown>): Promise<unknown> =>
  translating(() => abandoned.endWhile(work));

/**
 * Deletes a collection. It takes another name first, so that entries of a model that begins to use the collection at this time are not
 * deleted: `findUser` returns that model after the renaming, null if there is none. Throws an Error if there is one; then the documents
 * are back. Returns the number of deleted documents.
 */
export async function purgeCollection(name: string, findUser: () => Promise<string | null>, database: Database): Promise<number> {
  const { db } = database;
  const aside = asideOf(name);
  await alone(database, () => db.renameCollection(name, aside, { dropTarget: true }).catch(unlessMissing));
  const user = await findUser();
  if (user !== null) {
    await putBack(name, database);
    throw new Error(`the collection ${name} belongs to ${user} now`);
  }
  return dropAside(name, database);
}

/** Deletes what a deletion of a collection has put aside. Returns the number of documents. */
export async function dropAside(name: string, database: Database): Promise<number> {
  const count = await countAside(name, database);
  await alone(database, () => database.db.dropCollection(asideOf(name)));
  return count;
}

/**
 * Puts the documents back that a deletion of a collection has left aside, because it was interrupted. Does nothing if there are none.
 * What was written since then stays.
 */
export async function putBack(name: string, database: Database): Promise<void> {
  const { db } = database;
  const aside = asideOf(name);
  if ((await storedCollections([aside], database)).size === 0) return;
  await alone(database, () => db.renameCollection(aside, name).catch(unlessMissing).catch(unlessPresent));
  const merge = { $merge: { into: name, whenMatched: 'keepExisting' } };
  await translating(() => db.collection(aside).aggregate([merge]).toArray());
  await alone(database, () => db.dropCollection(aside));
}

/** Returns the number of documents that an interrupted deletion of a collection has left aside. */
export const countAside = (name: string, database: Database): Promise<number> => countMatching(database, asideOf(name), {});

function unlessMissing(error: unknown): void {
  if (!(error instanceof MongoServerError && error.codeName === 'NamespaceNotFound')) throw error;
}
