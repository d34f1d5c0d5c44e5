import { MongoServerError } from 'mongodb';
import { inReadTime, inWriteTime } from './calls.js';
import { commentIn, type Database } from './database.js';
import type { OwnCollection } from './own-collections.js';

/** How many indexes the database builds at once. Others would wait, and their time would run meanwhile. */
const mostBuilds = 3;

/** Creates missing collections and indexes. Does nothing for those that exist. */
export async function createOwnCollections(collections: readonly OwnCollection[], database: Database): Promise<void> {
  const names = collections.map(({ name }) => name);
  await ensureCollections(names, database);
  const indexed = collections.filter(({ indexes = [] }) => indexes.length > 0);
  const create = ({ name, indexes }: OwnCollection) =>
    inWriteTime(database, () => database.db.command({ createIndexes: name, indexes }));
  for (let at = 0; at < indexed.length; at += mostBuilds) await Promise.all(indexed.slice(at, at + mostBuilds).map(create));
}

/**
 * Creates missing collections on a sharded cluster, where a transaction that involves two shards cannot create collections. Does
 * nothing on other servers, where the first write to a collection creates it.
 */
export async function ensureCollections(names: readonly string[], database: Database): Promise<void> {
  const { db, isSharded } = database;
  if (!isSharded) return;
  const stored = await storedCollections(names, database);
  const missing = [...new Set(names)].filter((name) => !stored.has(name));
  await Promise.all(missing.map((name) => inWriteTime(database, () => db.createCollection(name)).catch(unlessPresent)));
}

/** Returns those of the names for which a collection exists. Reads no others, because there may be hundreds. */
export async function storedCollections(names: readonly string[], database: Database): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set();
  const filter = { name: { $in: names } };
  const present = await inReadTime(database, () =>
    database.db.listCollections(filter, { nameOnly: true, ...commentIn(database) }).toArray(),
  );
  return new Set(present.map(({ name }) => name));
}

/**
 * Rethrows the error of a `create` command unless the collection exists already, because another instance may have created it.
 */
export function unlessPresent(error: unknown): void {
  if (!(error instanceof MongoServerError && error.codeName === 'NamespaceExists')) throw error;
}
