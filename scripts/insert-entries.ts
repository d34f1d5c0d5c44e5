import type { Db, Document } from 'mongodb';

/**
 * Writes entries straight into a collection, with the ids 1..n, their timestamps and the counter that hands out the next id:
 * for values that the service does not accept over HTTP.
 */
export async function insertEntries(db: Db, collection: string, entries: readonly Document[]): Promise<void> {
  const now = new Date();
  const documents = entries.map((entry, index) => ({ _id: index + 1, ...entry, createdAt: now, updatedAt: now }));
  await db.collection<NumberedDocument>(collection).insertMany(documents);
  await setNextId(db, collection, documents.length + 1);
}

/** Decides which id the next entry of a collection gets, from whoever has no ids in reserve. */
export async function setNextId(db: Db, collection: string, next: number): Promise<void> {
  await db.collection<Counter>('_counters').updateOne({ _id: collection }, { $set: { next } }, { upsert: true });
}

interface NumberedDocument extends Document {
  readonly _id: number;
}

interface Counter {
  readonly _id: string;
  readonly next: number;
}
