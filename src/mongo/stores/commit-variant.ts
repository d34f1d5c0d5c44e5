import { ObjectId, type Document } from 'mongodb';
import { commitBlobs, type BlobName, type StoredBlob } from './blob-store.js';
import { type Database, inSession, translating } from '../database.js';
import { inTransaction } from '../transaction.js';

/**
 * Makes a pending blob another form of a file, which then vanishes with it; false where the file is there no longer, or has other
 * bytes. The mark on the original has a deletion at the same time conflict, so that the later of the two sees the other.
 */
export function commitVariant(database: Database, variant: Omit<BlobName, 'variantOf'>, original: StoredBlob): Promise<boolean> {
  return inTransaction(database, async (inner) => {
    if (!(await markOriginal(inner, original, variant.id))) return false;
    await commitBlobs(inner, [{ ...variant, variantOf: original.name }]);
    return true;
  });
}

async function markOriginal({ db, session, maxTimeMS }: Database, { id, name }: StoredBlob, variant: string): Promise<boolean> {
  const filter = { _id: new ObjectId(id), filename: name, pending: { $exists: false } };
  const update = { $set: { 'metadata.newestVariant': variant } };
  const options = { maxTimeMS: maxTimeMS.write, ...inSession(session) };
  const { matchedCount } = await translating(() => db.collection<Document>('uploads.files').updateOne(filter, update, options));
  return matchedCount > 0;
}
