import { MongoServerError } from 'mongodb';
import { type Database, translating } from './database.js';

/**
 * Creates the collections that are missing, if a transaction could not: on a sharded cluster a transaction that reaches two shards makes no
 * collections. Elsewhere the first write to a collection makes it, and this does nothing.
 */
export async function ensureCollections(names: readonly string[], { db, isSharded }: Database): Promise<void> {
  if (!isSharded) return;
  const known = await storedCollections({ db });
  const missing = [...new Set(names)].filter((name) => !known.has(name));
  await Promise.all(missing.map((name) => translating(() => db.createCollection(name)).catch(unlessPresent)));
}

/** The names of all collections that there are. */
export async function storedCollections({ db }: Pick<Database, 'db'>): Promise<ReadonlySet<string>> {
  const present = await translating(() => db.listCollections({}, { nameOnly: true }).toArray());
  return new Set(present.map(({ name }) => name));
}

/** Another instance may have been quicker. */
function unlessPresent(error: unknown): void {
  if (!(error instanceof MongoServerError && error.codeName === 'NamespaceExists')) throw error;
}
