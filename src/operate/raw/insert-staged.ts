import { BSON, type Document, MongoServerError } from 'mongodb';
import { translating } from '#store/send/driver-errors.js';
import type { Database } from '#store/send/database.js';

/** The result of an insert. */
export interface Insertion {
  /** The number of new documents. */
  readonly added: number;
  /** Documents that cannot be stored, with the reasons. */
  readonly refused: readonly (readonly [document: Document, reason: string])[];
}

/** Maximum size of a document of MongoDB, in bytes. */
const largest = 16_777_216;

/**
 * Stores documents. Stored documents with the same id stay unchanged, because a batch may be repeated. A document that MongoDB
 * refuses does not affect the others.
 */
export async function insertStagedDocuments(
  database: Database,
  collection: string,
  documents: readonly Document[],
): Promise<Insertion> {
  const sized = documents.map((document) => [document, whyUnfit(document)] as const);
  const unfit = sized.flatMap(([document, reason]) => (reason === null ? [] : [[document, reason] as const]));
  const fit = sized.flatMap(([document, reason]) => (reason === null ? [document] : []));
  const { added, refused } = await insertFit(database, collection, fit);
  return { added, refused: [...unfit, ...refused] };
}

function whyUnfit(document: Document): string | null {
  try {
    return BSON.calculateObjectSize(document, { ignoreUndefined: true }) > largest ? 'it is larger than 16 MB' : null;
  } catch (error) {
    return String(error); // nested too deep
  }
}

async function insertFit(database: Database, collection: string, documents: readonly Document[]): Promise<Insertion> {
  if (documents.length === 0) return { added: 0, refused: [] };
  try {
    return await insertBatch(database, collection, documents);
  } catch (error) {
    if (!concernsDocument(error)) throw error;
    if (documents[1] === undefined) return { added: 0, refused: [[documents[0] ?? {}, error.message]] };
    const half = Math.ceil(documents.length / 2);
    const first = await insertFit(database, collection, documents.slice(0, half));
    const second = await insertFit(database, collection, documents.slice(half));
    return { added: first.added + second.added, refused: [...first.refused, ...second.refused] };
  }
}

async function insertBatch({ db, maxTimeMS }: Database, collection: string, documents: readonly Document[]): Promise<Insertion> {
  const command = { insert: collection, documents, ordered: false, maxTimeMS: maxTimeMS.write, writeConcern: { w: 1 } };
  const reply = await translating(() => db.command(command, { ignoreUndefined: true }));
  const failures = (reply['writeErrors'] ?? []) as readonly Document[]; // the form of every reply to an insert
  const others = failures.filter(({ code }) => code !== 11000);
  return {
    added: Number(reply['n']),
    refused: others.map(({ index, errmsg }) => [documents[Number(index)] ?? {}, String(errmsg)] as const),
  };
}

/** The error codes BadValue, Overflow (nested too deeply) and InvalidBSON. */
const ofDocument: ReadonlySet<unknown> = new Set([2, 15, 22]);

/** Returns whether a command was refused because of the values of one of its documents. */
const concernsDocument = (error: unknown): error is Error =>
  error instanceof BSON.BSONError ||
  error instanceof RangeError ||
  (error instanceof MongoServerError && ofDocument.has(error.code));
