import { type ContentContext, withOwnTransaction, withoutHooks } from '../content/content-context.js';
import type { Loaded } from '../mongo/form/loaded.js';
import { findOne } from '../content/find-one.js';
import { asLeft } from '../content/run-write.js';
import { update } from '../content/update.js';
import { notFoundError } from '../errors.js';
import { commitBlobs } from '../mongo/stores/blob-store.js';
import { afterCommit, inTransaction } from '../mongo/send/transaction.js';
import { emptyQuery } from '../query/ast.js';
import { cleanTitle } from './clean-name.js';
import { fileType } from './decide-type.js';
import type { FileInfo } from './parse-file-info.js';
import { prepareFile } from './prepare-file.js';
import { retireFile } from './retire-files.js';
import type { Staging, UploadedFile } from './staging.js';
import type { MediaContext } from './upload-files.js';

/** Changes the information about a file. Throws a NotFoundError if there is no such file. */
export async function updateFileInfo(id: number, info: FileInfo, { content }: MediaContext): Promise<Loaded> {
  return (await update({ type: fileType(content), id }, { data: textsOf(info), query: emptyQuery }, content)) ?? missing();
}

function textsOf({ name, ...texts }: FileInfo): FileInfo {
  const title = cleanTitle(name ?? '');
  return title === null ? texts : { ...texts, name: title };
}

interface ReplaceOrder {
  readonly id: number;
  readonly file: UploadedFile;
  readonly info: FileInfo;
}

/** Replaces the content of a file. The id and the URL stay. Throws a NotFoundError if there is no such file. */
export const replaceFile = async (order: ReplaceOrder, staging: Staging, context: MediaContext): Promise<Loaded> =>
  (await prepareReplacement(order, staging, context))(context.content);

/** Prepares the new content of a file. Returns the function that stores it. */
export async function prepareReplacement(
  { id, file, info }: ReplaceOrder,
  staging: Staging,
  { media, content }: MediaContext,
): Promise<(content: ContentContext) => Promise<Loaded>> {
  const type = fileType(content);
  const stored = (await findOne(type, id, emptyQuery, withoutHooks(content))) ?? missing();
  const { hash, ext } = stored.document;
  const place = { hash: String(hash), ext: typeof ext === 'string' ? ext : '' };
  const { values, blobs } = await prepareFile(file, info, { media, staging, place });
  const row = { ...values, ...textsOf(info), name: values.name, url: stored.document['url'], formats: values.formats ?? {} };
  const store = async (inner: ContentContext): Promise<Loaded> => {
    const { database } = inner.store;
    // The entry is updated first: if the file was deleted in the meantime, no bytes may be published.
    const entry = (await update({ type, id }, { data: row, query: emptyQuery }, inner)) ?? missing();
    const finish = await retireFile(stored.document, media, database);
    await commitBlobs(database, blobs);
    await afterCommit(database, () => {
      staging.keep(blobs.map((blob) => blob.id));
      return finish();
    });
    return entry;
  };
  return async (entered) =>
    asLeft(await inTransaction(entered.store.database, (database) => store(withOwnTransaction(entered, database))));
}

function missing(): never {
  throw notFoundError('Entity not found');
}
