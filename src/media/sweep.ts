import { findPending, type BlobOwner, type PendingBlob } from '../mongo/stores/blob-store.js';
import { isAlive } from '../mongo/stores/claim.js';
import type { Media } from './media.js';
import { deleteBlobs } from './staging.js';

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

/** Whether other processes on this machine live is known; this process and other machines get the time of a request. */
function isDead({ owner, since }: PendingBlob, self: BlobOwner, oldest: number): boolean {
  if (Date.now() - since.getTime() > oldest) return true;
  if (owner.instance === self.instance) return false;
  return owner.host === self.host && (owner.pid === self.pid || !isAlive(owner.pid));
}
