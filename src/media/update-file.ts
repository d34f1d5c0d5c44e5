import { type ContentContext, withoutHooks } from '#content/content-context.js';
import type { EntryKey } from '#content/meet-precondition.js';
import type { LoadedEntry } from '#store/form/loaded.js';
import { findOne } from '#content/find-one.js';
import { finalEntry, withOwnTransaction } from '#content/run-write.js';
import { update } from '#content/update.js';
import { notFoundError } from '#base/errors.js';
import { blobRecords } from '#store/stores/blob-store.js';
import { afterCommit, inTransaction } from '#store/send/transaction.js';
import { emptyQuery } from '#model/query/ast.js';
import { cleanTitle } from './clean-name.js';
import { fileType } from './decide-type.js';
import type { MediaContext } from './media.js';
import type { FileInfo } from './parse-file-info.js';
import { followFolders } from './place-file.js';
import { prepareFile } from './prepare-file.js';
import { retireFile } from './retire-files.js';
import type { Staging, UploadedFile } from './staging.js';

/** A file with its new information, and the versions that the write accepts. */
interface InfoOrder extends Omit<EntryKey, 'type'> {
  readonly info: FileInfo;
}

/**
 * Changes the information about a file. Throws a NotFoundError if there is no such file, and a PreconditionFailedError if it is not
 * of the expected version.
 */
export async function updateFileInfo({ info, ...key }: InfoOrder, { content }: MediaContext): Promise<LoadedEntry> {
  const write = { data: textsOf(info), query: emptyQuery };
  const entry = (await update({ ...key, type: fileType(content) }, write, content)) ?? missing();
  await followFolders([info], content);
  return entry;
}

function textsOf({ name, ...texts }: FileInfo): FileInfo {
  const title = cleanTitle(name ?? '');
  return title === null ? texts : { ...texts, name: title };
}

interface ReplaceOrder extends InfoOrder {
  readonly file: UploadedFile;
}

/** Replaces the content of a file, and throws like `updateFileInfo`. The id and the URL stay. */
export const replaceFile = async (order: ReplaceOrder, staging: Staging, context: MediaContext): Promise<LoadedEntry> =>
  (await prepareReplacement(order, staging, context))(context.content);

/** Prepares the new content of a file. Returns the function that stores it. */
export async function prepareReplacement(
  { file, info, ...key }: ReplaceOrder,
  staging: Staging,
  { media, content }: MediaContext,
): Promise<(content: ContentContext) => Promise<LoadedEntry>> {
  const type = fileType(content);
  const stored = (await findOne(type, key.id, emptyQuery, withoutHooks(content))) ?? missing();
  const { hash, ext } = stored.document;
  const place = { hash: String(hash), ext: typeof ext === 'string' ? ext : '' };
  const { values, blobs, staged } = await prepareFile(file, info, { media, staging, place });
  // an address of this service stays as it is, with the base URL that it was stored with
  const url = blobs.length > 0 && values.provider === stored.document['provider'] ? stored.document['url'] : values.url;
  const row = { ...values, ...textsOf(info), name: values.name, url, formats: values.formats ?? {} };
  const store = async (inner: ContentContext): Promise<LoadedEntry> => {
    const { database } = inner.store;
    // The entry is updated first: if the file was deleted in the meantime, no bytes may be published.
    const entry = (await update({ ...key, type }, { data: row, query: emptyQuery }, inner)) ?? missing();
    await followFolders([info], inner);
    const finish = await retireFile(stored.document, media, database, values);
    await blobRecords.publish(database, blobs);
    await afterCommit(database, () => {
      staging.keep(staged);
      return finish();
    });
    return entry;
  };
  return async (entered) =>
    finalEntry(await inTransaction(entered.store.database, (database) => store(withOwnTransaction(entered, database))));
}

function missing(): never {
  throw notFoundError('Entity not found');
}
