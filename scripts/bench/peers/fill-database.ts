import { type Document, MongoClient } from 'mongodb';
import { dataSet } from '../data-set.js';
import { insertEntries } from '../load-data.js';
import { sizeNames } from '../sizes.js';

interface Filling {
  readonly uri: string;
  readonly database: string;
  readonly size: string;
  /** The names of the peer's collections, by those of the data set. */
  readonly collections: Readonly<Record<string, string | undefined>>;
  /** Returns an entry of a collection of the data set as the peer stores it. */
  toDocument(entry: Document, collection: string): Document;
}

/** Drops the database of a peer and fills it with the data set of a size, before the peer starts. */
export async function fillDatabase({ uri, database, size, collections, toDocument }: Filling): Promise<void> {
  const client = await MongoClient.connect(uri);
  const db = client.db(database);
  await db.dropDatabase();
  for (const { collection, count, make } of dataSet(sizeNames.find((name) => name === size) ?? '10k')) {
    const name = collections[collection];
    if (name !== undefined) await insertEntries(db, { collection: name, count, make: (id) => toDocument(make(id), collection) });
  }
  await client.close();
}
