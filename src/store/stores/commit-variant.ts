import { ObjectId, type Document } from 'mongodb';
import { type BlobName, blobRecords, type StoredBlob } from './blob-store.js';
import { inWriteTime } from '../send/calls.js';
import { type Database, inScope } from '../send/database.js';
import { inTransaction } from '../send/transaction.js';

/**
 * Publishes a pending blob as a variant of a file, which is deleted with it. Returns false if the file was deleted or has other
 * bytes. The write to the original conflicts with a simultaneous deletion, so that the later of the two sees the other.
 */
export function commitVariant(database: Database, variant: Omit<BlobName, 'variantOf'>, original: StoredBlob): Promise<boolean> {
  return inTransaction(database, async (inner) => {
    if (!(await markOriginal(inner, original, variant.id))) return false;
    await blobRecords.publish(inner, [{ ...variant, variantOf: original.name }]);
    return true;
  });
}

async function markOriginal(database: Database, { id, name }: StoredBlob, variant: string): Promise<boolean> {
  const filter = { _id: new ObjectId(id), filename: name, pending: { $exists: false } };
  const update = { $set: { 'metadata.newestVariant': variant } };
  const options = { maxTimeMS: database.maxTimeMS.write, ...inScope(database) };
  const files = database.db.collection<Document>('uploads.files');
  const { matchedCount } = await inWriteTime(database, () => files.updateOne(filter, update, options));
  return matchedCount > 0;
}
