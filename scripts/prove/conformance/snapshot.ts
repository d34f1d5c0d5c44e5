import { MongoClient, type Db, type Document } from 'mongodb';

/** The documents of every collection of a database, with a hash that tells whether a collection has changed. */
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

/** Restores a database from its snapshot: only collections that differ are written. Returns their names. */
export async function restoreSnapshot(db: Db, snapshot: Snapshot): Promise<readonly string[]> {
  const hashes = await readHashes(db);
  const names = new Set([...hashes.keys(), ...snapshot.hashes.keys()]);
  const changed = [...names].filter((name) => hashes.get(name) !== snapshot.hashes.get(name));
  await Promise.all(changed.map((name) => replaceAll(db, name, snapshot.documents.get(name) ?? [])));
  return changed;
}

/** Collections about running servers, which hold no content. */
const ignored = new Set(['_model_status', '_write_marks']);

/**
 * One command hashes all collections of a server, a few milliseconds for a few megabytes. It sees every write, whoever made it and
 * however late, which a list kept beside the writes would not. mongos does not know it: each shard is asked by itself.
 */
async function readHashes(db: Db): Promise<ReadonlyMap<string, string>> {
  const { msg } = await db.command({ hello: 1 });
  const parts = msg === 'isdbgrid' ? await hashShards(db) : [await hashServer(db)];
  const hashes = new Map<string, string>();
  for (const part of parts)
    for (const [name, hash] of Object.entries(part)) hashes.set(name, `${hashes.get(name) ?? ''} ${hash}`);
  for (const name of ignored) hashes.delete(name);
  return hashes;
}

type Hashes = Readonly<Record<string, string>>;

/** The server's answer: hashes by collection name. */
const hashServer = async (db: Db): Promise<Hashes> => (await db.command({ dbHash: 1 }))['collections'] as Hashes;

async function hashShards(db: Db): Promise<Hashes[]> {
  const { shards } = (await db.admin().command({ listShards: 1 })) as { readonly shards: readonly { readonly host: string }[] };
  return Promise.all(
    shards.map(async ({ host }) => {
      const [replicaSet = '', hosts = ''] = host.split('/');
      const client = await MongoClient.connect(`mongodb://${hosts}/?replicaSet=${replicaSet}`);
      return hashServer(client.db(db.databaseName)).finally(() => client.close());
    }),
  );
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
