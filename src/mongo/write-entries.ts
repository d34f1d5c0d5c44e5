import type { AnyBulkWriteOperation, Document, Filter, UpdateFilter } from 'mongodb';
import type { Database } from './database.js';
import { translating } from './driver-errors.js';
import type { Store } from './store.js';

/** A document with a numeric id. */
export type EntryDocument = Document & { readonly _id: number };

const entries = ({ db }: Database, collection: string) => db.collection<EntryDocument>(collection);

const options = ({ session, maxTimeMS }: Database) => ({ maxTimeMS: maxTimeMS.write, ...(session !== null && { session }) });

/** Inserts one document. Throws DuplicateKey where a unique index refuses it. */
export async function insertEntry(store: Store, collection: string, document: EntryDocument): Promise<void> {
  await translating(() => entries(store.database, collection).insertOne(document, options(store.database)));
  store.totals.invalidate(collection);
}

export interface EntryUpdate {
  readonly match: Document;
  readonly update: Document | readonly Document[];
  readonly projection: Document;
}

/** Updates one document and gives it as it is then; null where none matches. One command. */
export async function updateEntry(
  store: Store,
  collection: string,
  { match, update, projection }: EntryUpdate,
): Promise<EntryDocument | null> {
  const updated = await translating(() =>
    entries(store.database, collection).findOneAndUpdate(match as Filter<EntryDocument>, update as UpdateFilter<EntryDocument>, {
      ...options(store.database),
      projection,
      returnDocument: 'after',
    }),
  );
  store.totals.invalidate(collection);
  return updated;
}

/** Deletes one document and gives it; null where none matches. */
export async function deleteEntry(store: Store, collection: string, match: Document): Promise<EntryDocument | null> {
  const deleted = await translating(() =>
    entries(store.database, collection).findOneAndDelete(match as Filter<EntryDocument>, options(store.database)),
  );
  store.totals.invalidate(collection);
  return deleted;
}

/** Runs several writes on one collection in one command; gives how many documents matched. */
export async function bulkWrite(store: Store, collection: string, operations: readonly Document[]): Promise<number> {
  if (operations.length === 0) return 0;
  const result = await translating(() =>
    entries(store.database, collection).bulkWrite(operations as readonly AnyBulkWriteOperation<EntryDocument>[], {
      ...options(store.database),
      ordered: true,
    }),
  );
  store.totals.invalidate(collection);
  return result.matchedCount;
}
