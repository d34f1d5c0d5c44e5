import { type Document, ObjectId } from 'mongodb';
import { unavailableError } from '#base/errors.js';
import { inWriteTime } from '../send/calls.js';
import { type Database, inScope } from '../send/database.js';
import { conflictError } from '../send/driver-errors.js';
import { is, type Match, matchesAny } from '../form/matches.js';
import { findFirst, findStored, isStored } from '../stored.js';
import { inTransaction } from '../send/transaction.js';
import type { BlobOwner, PendingBlob, StoredBlob } from './blob.js';
import { importedName, publishImported, retireImported, unpublishing } from './imported-blobs.js';

export type { BlobOwner, PendingBlob, StoredBlob } from './blob.js';

interface BlobDocument {
  readonly _id: ObjectId;
  readonly filename: string | null;
  readonly length: number;
  readonly chunkSize: number;
  readonly uploadDate: Date;
  readonly metadata: { readonly provider: string; readonly key: string; readonly variantOf?: string; readonly import?: string };
  readonly pending?: Pick<PendingBlob, 'owner' | 'since' | 'isEnding'>;
}

/** The size of a chunk in GridFS, in bytes. */
export const chunkSize = 1_048_576;

const blobs = ({ db }: Database) => db.collection<BlobDocument>('uploads.files');
const options = (database: Database) => ({ maxTimeMS: database.maxTimeMS.write, ...inScope(database) });

/** Returns an id for a new blob. */
const newBlobId = (): string => new ObjectId().toHexString();

/** Registers a blob before its first byte is written, so that remains of a crash can be found. */
async function insertPending(database: Database, { id, provider, key, owner, since }: PendingBlob): Promise<void> {
  const document: BlobDocument = {
    _id: new ObjectId(id),
    filename: null,
    length: 0,
    chunkSize,
    uploadDate: since,
    metadata: { provider, key },
    pending: { owner, since },
  };
  await inWriteTime(database, () => blobs(database).insertOne(document, options(database)));
}

const interrupted = (): Error => unavailableError('The upload was interrupted, please try again');

/** A blob to publish, with its name. */
export interface BlobName extends Pick<StoredBlob, 'id' | 'name' | 'size'> {
  /** The original of a variant, which is deleted together with it. */
  readonly variantOf?: string;
  /** The import that stores it. It cannot be found before `publishImported`. */
  readonly import?: string;
}

/**
 * Publishes pending blobs. Throws a 503 if one was deleted by the sweep of an instance that considered this one dead; in a transaction
 * that began before they were staged, the error after which it runs again.
 */
async function commitBlobs(database: Database, names: readonly BlobName[]): Promise<void> {
  if (names.length === 0) return;
  const ids = names.map(({ id }) => id);
  const operations = names.map(({ id, name, size, variantOf, import: run }) => ({
    updateOne: {
      filter: { _id: new ObjectId(id), pending: { $exists: true }, 'pending.isEnding': { $ne: true } },
      update: {
        $set: {
          filename: run === undefined ? name : importedName(name),
          ...(run !== undefined && { 'metadata.import': run }),
          length: size,
          uploadDate: new Date(),
          ...(variantOf !== undefined && { 'metadata.variantOf': variantOf }),
        },
        $unset: { pending: 1 },
      },
    },
  })) as Parameters<ReturnType<typeof blobs>['bulkWrite']>[0]; // the driver's type cannot see through the computed path
  const { matchedCount } = await inWriteTime(database, () => blobs(database).bulkWrite(operations, options(database)));
  if (matchedCount === names.length) return;
  const staged = database.session === null ? [] : await findPending({ ...database, session: null }, ids);
  const isStaged = staged.filter(({ isEnding }) => isEnding !== true).length === ids.length;
  throw isStaged ? conflictError('the transaction does not see the blobs') : interrupted();
}

/** Unpublishes files by name, with their variants, and returns them. The bytes are deleted later. */
async function retireBlobs(database: Database, names: readonly string[], owner: BlobOwner): Promise<readonly PendingBlob[]> {
  const isNamed = matchesAny({ filename: is.oneOf(names) }, { 'metadata.variantOf': is.oneOf(names) });
  const blobDocuments = await readRecords(database, { pending: is.absent, ...isNamed });
  const pending = { owner, since: new Date() };
  await inWriteTime(database, () =>
    blobs(database).updateMany({ _id: { $in: blobDocuments.map(({ _id }) => _id) } }, unpublishing(pending), options(database)),
  );
  return blobDocuments.map((document) => ({ ...idOf(document), ...pending }));
}

const readRecords = async (database: Database, match: Match): Promise<readonly BlobDocument[]> =>
  (await findStored(database, 'uploads.files', { match })) as unknown as readonly BlobDocument[]; // written in this form

const idOf = ({ _id, metadata }: BlobDocument) => ({ id: _id.toHexString(), provider: metadata.provider, key: metadata.key });

/** Returns the file of that name; null if there is none. */
async function findBlob(database: Database, name: string): Promise<StoredBlob | null> {
  const original = await findFirst(database, 'uploads.files', { filename: name, pending: is.absent });
  if (original === null) return null;
  const document = original as BlobDocument; // written in this form
  return { ...idOf(document), name, size: document.length, modifiedAt: document.uploadDate };
}

/** Returns unpublished blobs, all or those with the given ids. */
async function findPending(database: Database, ids?: readonly string[]): Promise<readonly PendingBlob[]> {
  const match = { 'pending.since': { $exists: true }, ...(ids && { _id: is.oneOf(ids.map((id) => new ObjectId(id))) }) };
  const blobDocuments = await readRecords(database, match);
  return blobDocuments.flatMap((document) =>
    document.pending === undefined ? [] : [{ ...idOf(document), ...document.pending }],
  );
}

/** Makes sure that pending blobs are not published any more. Returns them, without those that are published. */
async function endPending(database: Database, ids: readonly string[]): Promise<readonly PendingBlob[]> {
  const filter = { _id: { $in: ids.map((id) => new ObjectId(id)) }, pending: { $exists: true } };
  const update = { $set: { 'pending.isEnding': true } };
  await inWriteTime(database, () => blobs(database).updateMany(filter, update, options(database)));
  return findPending(database, ids);
}

/** Deletes the records of blobs whose bytes are deleted. */
async function deletePending(database: Database, ids: readonly string[]): Promise<void> {
  const filter = { _id: { $in: ids.map((id) => new ObjectId(id)) }, pending: { $exists: true } };
  await inWriteTime(database, () => blobs(database).deleteMany(filter, options(database)));
}

/** Returns whether there is a file with one of the names. */
async function someBlobExists(database: Database, names: readonly string[]): Promise<boolean> {
  return isStored(database, 'uploads.files', { filename: is.oneOf(names), pending: is.absent });
}

/** Number of keys of one command. */
const keysAtOnce = 1_000;

/** Returns those of these keys that published files have. */
async function referredKeys(database: Database, keys: readonly string[]): Promise<readonly string[]> {
  const keysInUse = new Set<string>();
  for (let start = 0; start < keys.length; start += keysAtOnce) {
    const match = { 'metadata.key': is.oneOf(keys.slice(start, start + keysAtOnce)), pending: is.absent };
    const records = await findStored(database, 'uploads.files', { match, fields: ['metadata.key'] });
    for (const { metadata } of records as unknown as readonly BlobDocument[]) keysInUse.add(metadata.key); // written in this form
  }
  return keys.filter((key) => keysInUse.has(key));
}

/**
 * Publishes a pending blob as a variant of a file, which is deleted with it. Returns false if the file was deleted or has other
 * bytes. The write to the original conflicts with a simultaneous deletion, so that the later of the two sees the other.
 */
function commitVariant(database: Database, variant: Omit<BlobName, 'variantOf'>, original: StoredBlob): Promise<boolean> {
  return inTransaction(database, async (inner) => {
    if (!(await markOriginal(inner, original, variant.id))) return false;
    await commitBlobs(inner, [{ ...variant, variantOf: original.name }]);
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

/** The records of bytes: written as pending, published with the file, and retired before the bytes are deleted. */
export const blobRecords = {
  newId: newBlobId,
  insertPending,
  publish: commitBlobs,
  publishVariant: commitVariant,
  retire: retireBlobs,
  publishImported,
  retireImported,
  find: findBlob,
  findPending,
  endPending,
  deletePending,
  exists: someBlobExists,
  referredKeys,
};
