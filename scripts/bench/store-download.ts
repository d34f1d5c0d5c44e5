import { once } from 'node:events';
import { GridFSBucket, ObjectId, type Db } from 'mongodb';
import { chunkSize } from '../../src/store/stores/blob-store.js';
import { baselineBucket, downloadId, downloadName, mediaBytes } from './media-file.js';
import { fileCount } from './sizes.js';

const productBucket = 'uploads';

/** Stores the file of the download row, as either side keeps files. */
export async function storeDownload(db: Db): Promise<void> {
  await store(new GridFSBucket(db, { bucketName: productBucket, chunkSizeBytes: chunkSize }));
  await store(new GridFSBucket(db, { bucketName: baselineBucket }));
}

async function store(bucket: GridFSBucket): Promise<void> {
  const metadata = { provider: 'gridfs', key: downloadId };
  const stream = bucket.openUploadStreamWithId(new ObjectId(downloadId), downloadName, { metadata });
  stream.end(mediaBytes());
  await once(stream, 'finish');
}

/** Deletes the files that were uploaded. */
export async function removeUploads(db: Db): Promise<void> {
  const id = new ObjectId(downloadId);
  await db.collection<{ readonly _id: number }>('files').deleteMany({ _id: { $gt: fileCount } });
  for (const bucket of [productBucket, baselineBucket]) {
    await db.collection(`${bucket}.files`).deleteMany({ _id: { $ne: id } });
    await db.collection(`${bucket}.chunks`).deleteMany({ files_id: { $ne: id } });
  }
}
