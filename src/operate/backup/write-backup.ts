import type { Database } from '#store/send/database.js';
import { countBackedUp, listBackedUp } from '../raw/backed-up.js';
import { outsideFiles, readOneMoment, recordIds } from '../raw/one-moment.js';
import { fileRecords } from '../raw/scan-documents.js';
import type { RawDocument } from '../raw/raw-documents.js';
import type { Progress } from '../transfer/import-run.js';
import type { StorageOf } from '#media/storage/storage-of.js';
import { fileParts } from './file-parts.js';
import { compressed } from './compress.js';
import { type Part, sealed, startOf } from './parts.js';
import type { BackupPlace } from './place.js';

interface BackupContext {
  readonly database: Database;
  readonly storageOf: StorageOf;
  readonly progress: Progress;
  /** Aborts the backup. */
  readonly signal?: AbortSignal;
}

/** What a backup contains. */
interface BackupTally {
  /** Documents, each of which counts once. Those that were created or deleted meanwhile may be missing here. */
  documents: number;
  /** Files whose bytes are outside of the database. */
  files: number;
  /** The keys of files whose bytes could not be read, by the ids of their records. */
  readonly lost: Map<string, string>;
  /** The moment that everything is of. */
  moment: string;
}

/**
 * Writes everything that a database contains, as of one moment, while services write. Nothing is left at the place if it fails. Throws
 * an Error with a message for the user.
 */
export async function writeBackup(place: BackupPlace, context: BackupContext): Promise<Readonly<BackupTally>> {
  if (!context.database.isReplicated) throw new Error(withoutReplicas);
  const tally: BackupTally = { documents: 0, files: 0, lost: new Map(), moment: '' };
  await place.write(compressed(sealed(partsOf(context, tally))));
  return tally;
}

const withoutReplicas =
  'a backup needs change streams, which a standalone MongoDB does not have: make it a replica set (one member is enough), or use mongodump while nothing is written';

async function* partsOf(context: BackupContext, tally: BackupTally): AsyncGenerator<Part> {
  const { database, progress } = context;
  yield { head: startOf(database.db.databaseName), payload: [] };
  progress.begin('documents', await countBackedUp(database, await listBackedUp(database)));
  for await (const part of readOneMoment(database)) {
    context.signal?.throwIfAborted();
    if (part.kind === 'moment') {
      tally.moment = part.at.toISOString();
      continue;
    }
    const { kind, isAgain, collection, documents } = part;
    yield { head: { part: kind, collection, count: documents.length }, payload: documents };
    // A file that could not be read may have been deleted meanwhile.
    if (collection === fileRecords) for (const id of recordIds(documents)) tally.lost.delete(id);
    if (kind === 'deleted') continue;
    if (collection === fileRecords) yield* filesOf(documents, context, tally);
    if (isAgain) continue;
    tally.documents += documents.length;
    progress.advance(documents.length);
  }
  progress.end();
  const { documents, files, moment } = tally;
  yield { head: { part: 'end', moment, documents, files, collections: await listBackedUp(database) }, payload: [] };
}

/** Returns the bytes of the files of these records that are outside of the database. */
async function* filesOf(records: readonly RawDocument[], context: BackupContext, tally: BackupTally): AsyncGenerator<Part> {
  for (const file of outsideFiles(records))
    for await (const part of fileParts(file, context.storageOf)) {
      context.signal?.throwIfAborted();
      yield part;
      if (part.head.cut === true) tally.lost.set(file.id, file.key);
      else if (part.head.last) tally.files += 1;
    }
}
