import { retireBlobs } from '../mongo/stores/blob-store.js';
import type { Database } from '../mongo/database.js';
import { isRecord, type Values } from '../values.js';
import type { Media } from './media.js';
import { deleteBlobs } from './staging.js';

/**
 * Unpublishes the bytes of a file, its variants and its other sizes inside the transaction that deletes or replaces it. Returns
 * the cleanup to run after the commit. Bytes that cannot be deleted then are left to the sweep.
 */
export async function retireFile(file: Values, media: Media, database: Database): Promise<() => Promise<void>> {
  const blobs = await retireBlobs(database, namesOf(file), media.owner);
  return () => deleteBlobs(blobs, media).catch(() => undefined);
}

/** The names under which a file and its variants are served. */
export function namesOf({ hash, ext, formats }: Values): string[] {
  const variants = isRecord(formats) ? Object.values(formats).filter(isRecord) : [];
  return [{ hash, ext }, ...variants].map(
    (place) => `${String(place['hash'])}${typeof place['ext'] === 'string' ? place['ext'] : ''}`,
  );
}
