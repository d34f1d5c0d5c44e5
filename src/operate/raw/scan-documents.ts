import { type Document, Long, type Timestamp } from 'mongodb';
import type { Database } from '#store/send/database.js';
import { patience, patiently } from './patiently.js';
import { idDocument, idOf, type RawDocument } from './raw-documents.js';

/** Approximate bytes of one batch, the documents of the first one, and of any. */
const batchBytes = 2_097_152;
const firstDocuments = 4;
const mostDocuments = 1_000;

/** The collection of the records of files. */
export const fileRecords = 'uploads.files';

/** Records of files are few in one batch, because a backup copies their files before it reads on. */
const mostRecords = 50;

/** Adapts the number of documents that are read at once to their size. */
class BatchSize {
  documents = firstDocuments;
  readonly #most: number;

  constructor(collection: string) {
    this.#most = collection === fileRecords ? mostRecords : mostDocuments;
  }

  adapt(read: readonly RawDocument[]): void {
    const bytes = read.reduce((sum, { length }) => sum + length, 0);
    if (read.length > 0)
      this.documents = Math.min(Math.max(Math.floor((batchBytes * read.length) / bytes), 1), this.#most, 4 * this.documents);
  }
}

/**
 * Reads all documents of a collection in batches, in the order of their ids. Each batch is a command of its own, so that a failover
 * interrupts nothing. Each reads at or after the time that `after` returns, if it is given.
 */
export async function* scanDocuments(
  database: Database,
  collection: string,
  after?: () => Timestamp,
): AsyncGenerator<readonly RawDocument[]> {
  const size = new BatchSize(collection);
  let last: RawDocument | null = null;
  for (;;) {
    // A comparison with $gt would only find ids of the same type.
    const id: unknown = last === null ? null : idOf(last);
    const behind: Document = last === null ? {} : { min: { _id: id }, filter: { _id: { $ne: id } } };
    const page = { hint: { _id: 1 }, sort: { _id: 1 }, limit: size.documents, batchSize: size.documents, singleBatch: true };
    const readConcern = after === undefined ? {} : { readConcern: { level: 'majority', afterClusterTime: after() } };
    const command: Document = { find: collection, ...page, ...behind, ...readConcern };
    const documents: readonly RawDocument[] = await patiently(() => readOnce(database, command));
    if (documents.length === 0) return;
    yield documents;
    size.adapt(documents);
    last = documents.at(-1) ?? null;
  }
}

const raw = { firstBatch: true };

async function readOnce({ db }: Database, command: Document): Promise<readonly RawDocument[]> {
  const { cursor } = (await db.command({ ...command, maxTimeMS: patience }, { fieldsAsRaw: raw })) as Reply;
  return cursor.firstBatch ?? [];
}

/** Documents that were asked for by id, as many as fit into one reply (16 MB). */
interface FoundDocuments {
  readonly documents: readonly RawDocument[];
  /** Ids that no document has. */
  readonly removedDocuments: readonly RawDocument[];
}

interface WantedDocuments {
  readonly collection: string;
  /** Documents that have only an id. */
  readonly ids: readonly RawDocument[];
  readonly readConcern: Document;
}

/** Reads documents by id, in batches. Each is a command of its own; what does not fit into its reply is asked for again. */
export async function* readDocuments(
  database: Database,
  { collection, ids, readConcern }: WantedDocuments,
): AsyncGenerator<FoundDocuments> {
  const size = new BatchSize(collection);
  let waiting: readonly RawDocument[] = [];
  for (let next = 0; next < ids.length || waiting.length > 0;) {
    const further = ids.slice(next, next + Math.max(size.documents - waiting.length, 0));
    const batch = [...waiting, ...further];
    const command = { find: collection, filter: { _id: { $in: batch.map(idOf) } }, batchSize: batch.length, readConcern };
    const { documents, isWhole } = await patiently(() => readFirstOf(database, command));
    const keys = new Set(documents.map((document) => keyOf(idDocument(document))));
    const others = batch.filter((id) => !keys.has(keyOf(id)));
    yield { documents, removedDocuments: isWhole ? others : [] };
    waiting = isWhole ? [] : others;
    size.adapt(documents);
    next += further.length;
  }
}

/** Returns bytes as a string, for comparisons. */
export const keyOf = (bytes: RawDocument): string => Buffer.from(bytes).toString('latin1');

/** Reads what fits into the first reply to a command, and whether that is everything. */
const readFirstOf = (
  { client, db }: Database,
  command: Document,
): Promise<{ readonly documents: readonly RawDocument[]; readonly isWhole: boolean }> =>
  client.withSession({ causalConsistency: false }, async (session) => {
    const options = { session, fieldsAsRaw: raw };
    const { cursor } = (await db.command({ ...command, maxTimeMS: patience }, options)) as Reply;
    const isWhole = String(cursor.id) === '0';
    const kill = { killCursors: command['find'] as unknown, cursors: [Long.fromString(String(cursor.id))] };
    if (!isWhole) await db.command(kill, { session });
    return { documents: cursor.firstBatch ?? [], isWhole };
  });

/** The reply of a cursor, whose documents are raw. */
interface Reply {
  readonly cursor: {
    readonly id: unknown;
    readonly firstBatch?: readonly RawDocument[];
  };
}
