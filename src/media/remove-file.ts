import { within } from '../content/content-context.js';
import type { LoadedEntry } from '../content/loaded.js';
import { remove } from '../content/remove.js';
import { retireBlobs, type PendingBlob } from '../mongo/blob-store.js';
import { inTransaction } from '../mongo/transaction.js';
import { emptyQuery } from '../query/ast.js';
import { isValues, type Values } from '../schema/check-input.js';
import { fileType } from './file-type.js';
import { deleteBlobs } from './staging.js';
import type { MediaContext } from './upload-files.js';

/** Deletes a file, its variants and every link to it, and gives it as it was; null where there is none. */
export async function removeFile(id: number, { media, content }: MediaContext): Promise<LoadedEntry | null> {
  const removed = await inTransaction(content.store.database, async (database) => {
    const file = await remove(fileType(content), id, emptyQuery, within(content, database));
    return file === null ? null : { file, blobs: await retireBlobs(database, namesOf(file.document), media.owner) };
  });
  if (removed === null) return null;
  await deleteLater(removed.blobs, { media });
  return removed.file;
}

/** The names under which a file and its variants are served. */
export function namesOf({ hash, ext, formats }: Values): string[] {
  const variants = isValues(formats) ? Object.values(formats).filter(isValues) : [];
  return [{ hash, ext }, ...variants].map(
    (place) => `${String(place['hash'])}${typeof place['ext'] === 'string' ? place['ext'] : ''}`,
  );
}

/** The file is gone for everybody; bytes that cannot be deleted now are left to the sweep. */
export async function deleteLater(blobs: readonly PendingBlob[], { media }: Pick<MediaContext, 'media'>): Promise<void> {
  await deleteBlobs(blobs, media).catch(() => undefined);
}
