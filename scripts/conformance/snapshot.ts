import type { Db, Document } from 'mongodb';

/** The documents of every collection of a database, and the hash by which a collection is known to be as it was. */
export interface Snapshot {
  readonly hashes: ReadonlyMap<string, string>;
  readonly documents: ReadonlyMap<string, readonly Document[]>;
}

/** Copies a database into memory; meant for a few megabytes. */
export async function takeSnapshot(db: Db): Promise<Snapshot> {
  const hashes = await readHashes(db);
  const documents = await Promise.all([...hashes.keys()].map(async (name) => [name, await readAll(db, name)] as const));
  return { hashes, documents: new Map(documents) };
}

/** Brings a database back to its snapshot: only collections that differ are written. Gives their names. */
export async function restoreSnapshot(db: Db, snapshot: Snapshot): Promise<readonly string[]> {
  const hashes = await readHashes(db);
  const names = new Set([...hashes.keys(), ...snapshot.hashes.keys()]);
  const changed = [...names].filter((name) => hashes.get(name) !== snapshot.hashes.get(name));
  await Promise.all(changed.map((name) => replaceAll(db, name, snapshot.documents.get(name) ?? [])));
  return changed;
}

/** Collections that tell of running servers and not of content. */
const ignored = new Set(['_model_status']);

/**
 * One command hashes all collections on the server, a few milliseconds for a few megabytes. It sees every write, whoever made
 * it and however late, which a list kept beside the writes would not.
 */
async function readHashes(db: Db): Promise<ReadonlyMap<string, string>> {
  const { collections } = await db.command({ dbHash: 1 });
  // The server's answer: an object of hashes by collection name.
  const hashes = Object.entries(collections as Record<string, string>);
  return new Map(hashes.filter(([name]) => !ignored.has(name)));
}

// Types that the driver would turn into plain JavaScript values come back as they were: 1 and 1.0 differ in the database.
const exact = { promoteValues: false, promoteBuffers: false, bsonRegExp: true };

const readAll = (db: Db, collection: string): Promise<Document[]> => db.collection(collection).find({}, exact).toArray();

/** Empties and refills, so that indexes stay. */
async function replaceAll(db: Db, name: string, documents: readonly Document[]): Promise<void> {
  const collection = db.collection(name);
  await collection.deleteMany({});
  if (documents.length > 0) await collection.insertMany([...documents]);
}
