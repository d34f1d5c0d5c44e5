import type { Database } from '../mongo/database.js';
import { findPending, retireBlobs, type BlobOwner, type PendingBlob } from '../mongo/stores/blob-store.js';
import { hasEnded } from '../processes.js';
import type { Values } from '../values.js';
import { namesOf } from './file-values.js';
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

/** The result of a sweep. */
interface Swept {
  readonly deleted: number;
  /**
   * Blobs that could not be deleted: locked by a transaction of a dead process, which the server ends after a minute, or in a
   * storage that does not answer.
   */
  readonly left: number;
}

/**
 * Deletes the remains of uploads and deletions that a crash interrupted. `oldest`: milliseconds after which a request on any
 * machine has ended.
 */
export async function sweep(media: Media, oldest: number): Promise<Swept> {
  const remains = (await findPending(media.database)).filter((blob) => isDead(blob, media.owner, oldest));
  const results = await Promise.allSettled(remains.map((blob) => deleteBlobs([blob], media)));
  const left = results.filter(({ status }) => status === 'rejected').length;
  return { deleted: remains.length - left, left };
}

/** Whether a process of this machine runs can be checked; this process and other machines get the time of a request. */
function isDead({ owner, since }: PendingBlob, self: BlobOwner, oldest: number): boolean {
  if (Date.now() - since.getTime() > oldest) return true;
  if (owner.instance === self.instance) return false;
  return hasEnded(owner, self);
}
