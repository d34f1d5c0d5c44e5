import type { Database } from '#store/send/database.js';
import { type CollectionPlan, isBackedUp, isPlan } from '../raw/backed-up.js';
import { splitDocuments } from '../raw/raw-documents.js';
import type { Progress } from '../transfer/import-run.js';
import { decompressed } from './compress.js';
import type { StorageOf } from '#media/storage/storage-of.js';
import { type EndHead, joinPieces, type Part } from './parts.js';
import type { BackupPlace } from './place.js';
import { checksumMessage, NoBackup, type ReadPart, readParts } from './read-parts.js';
import { messageOf } from '#base/errors.js';

/** A backup that was read to its end. */
export interface VerifiedBackup {
  /** Differs from those of all other backups. */
  readonly identity: string;
  readonly plans: readonly CollectionPlan[];
  readonly end: EndHead;
  /** Number of documents in all parts. It is larger than that of the end if documents have changed meanwhile. */
  readonly written: number;
  /** The keys of files that it lacks. */
  readonly cut: readonly string[];
}

interface Verifying {
  readonly database: Pick<Database, 'ownCollections'>;
  readonly progress: Progress;
  readonly storageOf: StorageOf;
}

/**
 * Reads a whole backup, and checks it. Throws an Error with a message for the user if it is not one, of another version, cut or changed,
 * or if its files belong to a storage that is not configured.
 */
export async function verifyBackup(place: BackupPlace, { database, progress, storageOf }: Verifying): Promise<VerifiedBackup> {
  const { ownCollections } = database;
  progress.begin('checking', null);
  const names = new Set<string>();
  const [providers, cut] = [new Set<string>(), new Set<string>()];
  let [identity, end, written]: [string, EndHead | null, number] = ['', null, 0];
  for await (const { part, digest } of readNamedParts(place)) {
    const { head } = part;
    identity = digest;
    if (head.part === 'end') end = head;
    if (head.part === 'file') {
      providers.add(head.provider);
      if (head.cut === true) cut.add(head.key);
      else cut.delete(head.key); // it was read again
    }
    if (head.part !== 'documents' && head.part !== 'deleted') continue;
    if (!isBackedUp(head.collection, ownCollections) || documentsOf(part).length !== head.count)
      throw new Error(`${place.name} ${checksumMessage}`);
    names.add(head.collection);
    if (head.part === 'documents') written += head.count;
    progress.advance(head.count);
  }
  progress.end();
  for (const provider of providers) assertStorage(provider, storageOf);
  const plans = end?.collections ?? [];
  const isSound = (plan: unknown): plan is CollectionPlan => isPlan(plan, ownCollections);
  if (end === null || !plans.every(isSound)) throw new Error(`${place.name} ${checksumMessage}`);
  const planned = new Set(plans.map(({ name }) => name));
  const others = [...names].filter((name) => !planned.has(name)).map((name) => ({ name, options: {}, indexes: [] }));
  return { identity, end, written, cut: [...cut], plans: [...plans, ...others] };
}

/** Reads the parts of a backup. Its errors name it. */
export async function* readNamedParts(place: BackupPlace): AsyncGenerator<ReadPart> {
  try {
    yield* readParts(decompressed(place.read()));
  } catch (error) {
    throw error instanceof NoBackup ? new Error(`${place.name} ${error.message}`) : error;
  }
}

/** Returns the documents of a part. Throws NoBackup if they are not whole. */
export function documentsOf({ payload }: Part): ReturnType<typeof splitDocuments> {
  try {
    return splitDocuments(joinPieces(payload));
  } catch {
    throw new NoBackup(checksumMessage);
  }
}

function assertStorage(provider: string, storageOf: StorageOf): void {
  try {
    storageOf(provider);
  } catch (error) {
    const reason = messageOf(error);
    throw new Error(`the backup has files of the storage ${provider}, which is not configured here: ${reason}`, { cause: error });
  }
}
