import type { Document } from 'mongodb';
import { commentIn, type Database } from '../send/database.js';
import { translating } from '../send/driver-errors.js';
import type { BlobOwner, PendingBlob } from './blob.js';

/** Returns the name of an imported blob that is not published yet. No file name contains a colon. */
export const importedName = (name: string): string => `import:${name}`;

/** Returns the update that unpublishes files. */
export const unpublishing = (pending: Pick<PendingBlob, 'owner' | 'since'>) => ({
  $set: { filename: null, pending: { ...pending, isEnding: true } },
});

const files = ({ db }: Database) => db.collection<Document>('uploads.files');

const isImported = { filename: { $regex: `^${importedName('')}` } };

/** Publishes the files of an import and unpublishes all others, whose bytes are deleted later. May run twice. */
export async function publishImported(database: Database, run: string, owner: BlobOwner): Promise<void> {
  const former = { pending: { $exists: false }, 'metadata.import': { $ne: run } };
  const update = unpublishing({ owner, since: new Date() });
  await translating(() => files(database).updateMany(former, update, commentIn(database)));
  const hidden = { ...isImported, 'metadata.import': run };
  const name = { $substrCP: ['$filename', importedName('').length, { $strLenCP: '$filename' }] };
  await translating(() => files(database).updateMany(hidden, [{ $set: { filename: name } }], commentIn(database)));
}

/** Unpublishes the files of an aborted import. Their bytes are deleted later. */
export async function retireImported(database: Database, owner: BlobOwner): Promise<void> {
  const update = unpublishing({ owner, since: new Date() });
  await translating(() => files(database).updateMany(isImported, update, commentIn(database)));
}
