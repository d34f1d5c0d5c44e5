import { type Document, Long, type Timestamp } from 'mongodb';
import type { Database } from '../send/database.js';
import { patience, patiently } from './patiently.js';
import { idDocument, idOf, type RawDocument } from './raw-documents.js';

/** Approximate bytes of one batch, the documents of the first one, and of any. */
const batchBytes = 2_097_152;
const firstDocuments = 4;
const mostDocuments = 1_000;

/** Adapts the number of documents that are read at once to their size. */
class BatchSize {
  documents = firstDocuments;

  adapt(read: readonly RawDocument[]): void {
    const bytes = read.reduce((sum, { length }) => sum + length, 0);
    if (read.length > 0)
      this.documents = Math.min(Math.max(Math.floor((batchBytes * read.length) / bytes), 1), mostDocuments, 4 * this.documents);
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
  const size = new BatchSize();
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

const raw = { firstBatch: true, nextBatch: true };

async function readOnce({ db }: Database, command: Document): Promise<readonly RawDocument[]> {
  const { cursor } = (await db.command({ ...command, maxTimeMS: patience }, { fieldsAsRaw: raw })) as Reply;
  return cursor.firstBatch ?? [];
}

/** Documents that were asked for by id. */
interface FoundDocuments {
  readonly documents: readonly RawDocument[];
  /** The ids that no document has. */
  readonly gone: readonly RawDocument[];
}

interface WantedDocuments {
  readonly collection: string;
  /** Documents that have only an id. */
  readonly ids: readonly RawDocument[];
  readonly readConcern: Document;
}

/** Reads documents by id, in batches. */
export async function* readDocuments(
  database: Database,
  { collection, ids, readConcern }: WantedDocuments,
): AsyncGenerator<FoundDocuments> {
  const size = new BatchSize();
  for (let start = 0; start < ids.length;) {
    const wanted = ids.slice(start, start + size.documents);
    const command = { find: collection, filter: { _id: { $in: wanted.map(idOf) } }, readConcern };
    const documents = await patiently(() => readAllOf(database, command));
    const found = new Set(documents.map((document) => keyOf(idDocument(document))));
    yield { documents, gone: wanted.filter((id) => !found.has(keyOf(id))) };
    size.adapt(documents);
    start += wanted.length;
  }
}

/** Returns bytes as a string, for comparisons. */
export const keyOf = (bytes: RawDocument): string => Buffer.from(bytes).toString('latin1');

/** Reads everything that a command finds, in one session. */
const readAllOf = ({ client, db }: Database, command: Document): Promise<readonly RawDocument[]> =>
  client.withSession({ causalConsistency: false }, async (session) => {
    const options = { session, fieldsAsRaw: raw };
    const { cursor: first } = (await db.command({ ...command, maxTimeMS: patience }, options)) as Reply;
    const documents = [...(first.firstBatch ?? [])];
    for (let { id } = first; String(id) !== '0';) {
      const next = { getMore: Long.fromString(String(id)), collection: command['find'] as unknown };
      const { cursor } = (await db.command(next, options)) as Reply;
      documents.push(...(cursor.nextBatch ?? []));
      id = cursor.id;
    }
    return documents;
  });

/** The reply of a cursor, whose documents are raw. */
interface Reply {
  readonly cursor: {
    readonly id: unknown;
    readonly firstBatch?: readonly RawDocument[];
    readonly nextBatch?: readonly RawDocument[];
  };
}
