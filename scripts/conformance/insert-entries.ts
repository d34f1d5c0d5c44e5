import type { Db, Document } from 'mongodb';

/**
 * Writes entries straight into a collection, with the ids 1..n, their timestamps and the counter that hands out the next id:
 * the way in for what the service does not take over HTTP.
 */
export async function insertEntries(db: Db, collection: string, entries: readonly Document[]): Promise<void> {
  const now = new Date();
  const documents = entries.map((entry, index) => ({ _id: index + 1, ...entry, createdAt: now, updatedAt: now }));
  await db.collection<NumberedDocument>(collection).insertMany(documents);
  await reserveIds(db, collection, documents.length);
}

/** Makes sure that no id up to `last` is handed out in a collection. */
export async function reserveIds(db: Db, collection: string, last: number): Promise<void> {
  await db.collection<Counter>('_counters').updateOne({ _id: collection }, { $max: { next: last + 1 } }, { upsert: true });
}

interface NumberedDocument extends Document {
  readonly _id: number;
}

interface Counter {
  readonly _id: string;
  readonly next: number;
}
