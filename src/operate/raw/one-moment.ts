import { BSON, type Document, MongoServerError, type Timestamp } from 'mongodb';
import { isRecord } from '#base/values.js';
import type { Database } from '#store/send/database.js';
import { listBackedUp } from './backed-up.js';
import { ChangedDocuments, type ChangedIds } from './changed-documents.js';
import { idOf, type RawDocument } from './raw-documents.js';
import { readDocuments, scanDocuments } from './scan-documents.js';

/** What a backup reads, in order: later documents replace earlier ones. `deleted` are ids of documents that are gone. */
export type MomentPart =
  | {
      readonly kind: 'documents' | 'deleted';
      /** Whether they are read because they have changed, most of them for another time. */
      readonly isAgain: boolean;
      readonly collection: string;
      readonly documents: readonly RawDocument[];
    }
  /** The last one: all of them together are the data of this moment. */
  | { readonly kind: 'moment'; readonly at: Date };

/** Number of changed documents beyond which they are read during the scan, and up to which they are read as of one moment. */
const mostWaiting = 10_000;
const fewChanged = 1_000;

/** Number of attempts to catch up with the writers. */
const mostRounds = 30;

/**
 * Reads all documents of a database as of one moment, while others write. Each collection is read by id. Documents that change meanwhile
 * are read again, until few have changed since; these are read from the snapshot of one moment. So the last state of each document is
 * the one of that moment, and transactions are whole. Throws an Error if that is impossible.
 */
export async function* readOneMoment(database: Database): AsyncGenerator<MomentPart> {
  const changed = await ChangedDocuments.begin(database);
  try {
    for (const { name } of await listBackedUp(database)) yield* scan(database, name, changed);
    yield* settle(database, changed);
  } finally {
    await changed.close();
  }
}

/** Reads all documents of a collection, and what has changed meanwhile if it is much. */
async function* scan(database: Database, collection: string, changed: ChangedDocuments): AsyncGenerator<MomentPart> {
  for await (const documents of scanDocuments(database, collection, () => changed.time)) {
    yield { kind: 'documents', isAgain: false, collection, documents };
    changed.check();
    if (changed.size > mostWaiting) yield* readNow(database, changed);
  }
}

/** Reads what has changed until it is the state of one moment. */
async function* settle(database: Database, changed: ChangedDocuments): AsyncGenerator<MomentPart> {
  for (let round = 0; round < mostRounds; round += 1) {
    const moment = await changed.catchUp();
    if (moment === null || (changed.size > fewChanged && round < mostRounds / 2)) {
      yield* readNow(database, changed);
      continue;
    }
    const last = changed.take();
    try {
      yield* readIds(database, last, { level: 'snapshot', atClusterTime: moment });
      yield { kind: 'moment', at: dateOf(moment) };
      return;
    } catch (error) {
      if (!isTooOld(error)) throw error;
    }
    yield* readIds(database, last, newest(changed));
  }
  throw new Error(
    'MongoDB keeps its history for too short a time to read the changes as of one moment: raise its parameter minSnapshotHistoryWindowInSeconds, or run the backup while less is written',
  );
}

const readNow = (database: Database, changed: ChangedDocuments): AsyncGenerator<MomentPart> =>
  readIds(database, changed.take(), newest(changed));

/** Returns the read concern that sees all changes that were heard of. */
const newest = ({ time }: ChangedDocuments): Document => ({ level: 'majority', afterClusterTime: time });

async function* readIds(database: Database, changed: ChangedIds, readConcern: Document): AsyncGenerator<MomentPart> {
  for (const [collection, ids] of changed)
    for await (const { documents, removedDocuments } of readDocuments(database, { collection, ids, readConcern })) {
      if (removedDocuments.length > 0) yield { kind: 'deleted', isAgain: true, collection, documents: removedDocuments };
      if (documents.length > 0) yield { kind: 'documents', isAgain: true, collection, documents };
    }
}

/** The error codes SnapshotTooOld and SnapshotUnavailable. */
const tooOld: ReadonlySet<unknown> = new Set([239, 246]);

const isTooOld = (error: unknown): boolean => error instanceof MongoServerError && tooOld.has(error.code);

const dateOf = (time: Timestamp): Date => new Date(time.getHighBitsUnsigned() * 1000);

/** A file whose bytes are not in the database. */
export interface OutsideFile {
  /** The id of its record. */
  readonly id: string;
  readonly provider: string;
  readonly key: string;
  /** Size in bytes. */
  readonly size: number;
}

/** Returns the files in these records whose bytes are outside of the database, except for those that are not published. */
export const outsideFiles = (records: readonly RawDocument[]): readonly OutsideFile[] =>
  records.flatMap((bytes) => {
    const { _id, metadata, length, pending } = BSON.deserialize(bytes);
    if (!isRecord(metadata) || pending !== undefined) return [];
    const { provider, key } = metadata;
    if (typeof provider !== 'string' || typeof key !== 'string' || provider === 'gridfs') return [];
    return [{ id: String(_id), provider, key, size: Number(length) }];
  });

/** Returns the ids of records. */
export const recordIds = (records: readonly RawDocument[]): readonly string[] => records.map((bytes) => String(idOf(bytes)));
