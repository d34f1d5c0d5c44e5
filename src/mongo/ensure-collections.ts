import { MongoServerError } from 'mongodb';
import { inReadTime, inWriteTime } from './calls.js';
import type { Database } from './database.js';

/**
 * Creates the collections that are missing, if a transaction could not: on a sharded cluster a transaction that reaches two shards makes no
 * collections. Elsewhere the first write to a collection makes it, and this does nothing.
 */
export async function ensureCollections(names: readonly string[], database: Database): Promise<void> {
  const { db, isSharded } = database;
  if (!isSharded) return;
  const known = await storedCollections(names, database);
  const missing = [...new Set(names)].filter((name) => !known.has(name));
  await Promise.all(missing.map((name) => inWriteTime(database, () => db.createCollection(name)).catch(unlessPresent)));
}

/** The names among these of collections that there are. There may be hundreds of others. */
export async function storedCollections(names: readonly string[], database: Database): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set();
  const filter = { name: { $in: names } };
  const present = await inReadTime(database, () => database.db.listCollections(filter, { nameOnly: true }).toArray());
  return new Set(present.map(({ name }) => name));
}

/** Rethrows the error of a `create` command, unless there is such a collection: another instance may have been quicker. */
export function unlessPresent(error: unknown): void {
  if (!(error instanceof MongoServerError && error.codeName === 'NamespaceExists')) throw error;
}
