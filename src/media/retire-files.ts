import type { Config } from '#settings/config.js';
import type { Jobs } from '#base/jobs.js';
import { commentIn, type Database, forJob } from '#store/send/database.js';
import { afterCommit } from '#store/send/transaction.js';
import type { Subscriber } from '#store/changes/entry-events.js';
import { type BlobOwner, blobRecords, type PendingBlob } from '#store/stores/blob-store.js';
import { hasEnded } from '#base/processes.js';
import { uploadFile } from '#model/schema/content-type.js';
import type { Values } from '#base/values.js';
import { type FileValues, namesOf } from './file-values.js';
import { removeHosted } from './host-file.js';
import { type Media, withCommandsOf } from './media.js';
import { deleteBlobs } from './staging.js';

/**
 * Unpublishes the bytes of a file, its variants and its other sizes inside the transaction that deletes or replaces it. Returns
 * the cleanup to run after the commit. If deleting the bytes fails, the sweep deletes them later; those that a host of files keeps stay
 * there, which the log says.
 */
export async function retireFile(
  file: Values,
  media: Media,
  database: Database,
  replacement: FileValues | null = null,
): Promise<() => Promise<void>> {
  const blobs = await blobRecords.retire(database, namesOf(file), media.owner);
  const { comment } = commentIn(database);
  const own = comment === undefined ? media : withCommandsOf(media, comment);
  return async () => {
    await deleteBlobs(blobs, own).catch(() => undefined);
    await removeHosted(file, media, replacement && { ...replacement });
  };
}

/** Returns the subscriber that deletes the bytes of deleted files, whoever deletes them. */
export const retiring = (media: Media): Subscriber => ({
  subscribesTo: (kind, { uid }) => kind === 'delete' && uid === uploadFile,
  within: async (event, database) => {
    if (event.kind === 'delete') await afterCommit(database, await retireFile(event.document, media, database));
  },
});

/** Starts the job that deletes remains of crashes, now and every few minutes. */
export function keepSweeping(media: Media, config: Config, jobs: Jobs): void {
  // Uploads have a time limit, but making the variants of many images may take longer.
  const name = 'upload sweep';
  const oldest = 2 * config.server.uploadTimeout;
  const own = { ...media, database: forJob(media.database, name) };
  jobs.start({
    name,
    every: sweepEvery,
    isEager: true,
    retry: sweepSoon,
    failure: 'remains of interrupted uploads could not be searched for',
    run: async () => {
      const { deleted, remaining } = await sweep(own, oldest);
      if (deleted > 0 || remaining > 0) jobs.observer.observe({ kind: 'uploads swept', deleted, left: remaining });
      return remaining > 0 ? sweepSoon : sweepEvery;
    },
  });
}

/** Milliseconds until the next sweep, and until the next one after a failed deletion. */
const sweepEvery = 300_000;
const sweepSoon = 3_000;

/** The result of a sweep. */
interface Swept {
  readonly deleted: number;
  /**
   * Number of blobs that could not be deleted. A transaction of a dead process may lock them, until the server ends it after a
   * minute, or their storage may not answer.
   */
  readonly remaining: number;
}

/**
 * Deletes the remains of uploads and deletions that a crash interrupted. `oldest` is the time in milliseconds after which a
 * request on any machine has ended.
 */
export async function sweep(media: Media, oldest: number): Promise<Swept> {
  const remains = (await blobRecords.findPending(media.database)).filter((blob) => isDead(blob, media.owner, oldest));
  // an upload that is slow, not dead, may publish its blob until then
  const end = async ({ id }: PendingBlob): Promise<void> =>
    deleteBlobs(await blobRecords.endPending(media.database, [id]), media);
  const results = await Promise.allSettled(remains.map(end));
  const left = results.filter(({ status }) => status === 'rejected').length;
  return { deleted: remains.length - left, remaining: left };
}

/**
 * Returns whether the request of a pending blob has ended. For another process on this machine this can be checked. Requests of
 * this process and of other machines have ended after the time limit.
 */
function isDead({ owner, since }: PendingBlob, self: BlobOwner, oldest: number): boolean {
  if (Date.now() - since.getTime() > oldest) return true;
  if (owner.instance === self.instance) return false;
  return hasEnded(owner, self);
}
