import type { AnyBulkWriteOperation, Document } from 'mongodb';
import { DuplicateKey, translating } from './driver-errors.js';
import { runWrite } from './run-write.js';
import type { Store } from './store.js';

/** A document with a numeric id. */
export type EntryDocument = Document & { readonly _id: number };

/** Inserts one document. Throws DuplicateKey where a unique index refuses it. */
export async function insertEntry(store: Store, collection: string, document: EntryDocument): Promise<void> {
  try {
    await runWrite(store.database, { insert: collection, documents: [document] });
  } catch (error) {
    // The id is ours alone: it can only be taken by the first of two attempts, whose answer was lost.
    if (!(error instanceof DuplicateKey && error.fields[0] === '_id')) throw error;
  }
  noteWrite(store, collection);
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
  const command = { findAndModify: collection, query: match, update, new: true, fields: projection };
  const { value } = await runWrite(store.database, command);
  if (value !== null) noteWrite(store, collection);
  return value as EntryDocument | null; // the reply of findAndModify
}

/** Deletes one document and gives it; null where none matches. */
export async function deleteEntry(store: Store, collection: string, match: Document): Promise<EntryDocument | null> {
  const { value } = await runWrite(store.database, { findAndModify: collection, query: match, remove: true });
  if (value !== null) noteWrite(store, collection);
  return value as EntryDocument | null; // the reply of findAndModify
}

/** Runs several writes on one collection in one command; gives how many documents matched. */
export async function bulkWrite(store: Store, collection: string, operations: readonly Document[]): Promise<number> {
  if (operations.length === 0) return 0;
  const { db, session, maxTimeMS } = store.database;
  const options = { maxTimeMS: maxTimeMS.write, ordered: true, ...(session !== null && { session }) };
  const result = await translating(() =>
    db.collection<EntryDocument>(collection).bulkWrite(operations as readonly AnyBulkWriteOperation<EntryDocument>[], options),
  );
  noteWrite(store, collection);
  return result.matchedCount;
}

/** What a transaction writes is stored when it is committed. */
function noteWrite({ totals, database }: Store, collection: string): void {
  totals.invalidate(collection);
  if (database.session === null) database.budget.noteChange();
}
