import type { Document } from 'mongodb';
import { collections } from '#model/schema/collections.js';
import type { Database } from '#store/send/database.js';
import { patiently } from './patiently.js';
import { decodeExactly, type ExactDocument, idDocument, idOf, type RawDocument, valueOf } from './raw-documents.js';
import { readDocuments, scanDocuments } from './scan-documents.js';

/** What becomes of a document whose id is stored: `skip` keeps the stored one, `replace` the one of the backup. */
export type Conflict = 'skip' | 'replace';

interface WriteError {
  readonly index: number;
  readonly code: number;
  readonly errmsg: string;
  readonly keyPattern?: object;
}

const duplicateKey = 11000;

/** Runs a write command, repeatedly after failovers. Returns what it could not write. */
async function write({ db }: Database, command: Document): Promise<readonly WriteError[]> {
  const send = () => db.command({ ...command, ordered: false, writeConcern: { w: 'majority' } }, { ignoreUndefined: false });
  const reply = await patiently(send);
  return (reply['writeErrors'] ?? []) as readonly WriteError[]; // the form of every reply to a write
}

/** Stores documents. Each replaces the one with its id. Throws an Error if the server refuses one. */
export async function putDocuments(database: Database, collection: string, documents: readonly RawDocument[]): Promise<void> {
  const decoded = documents.map(decodeExactly);
  const errors = await write(database, { insert: collection, documents: decoded });
  const [refused] = errors.filter(({ code }) => code !== duplicateKey);
  if (refused !== undefined) throw refusedBy(collection, refused);
  const again = errors.flatMap(({ index }) => documents[index] ?? []);
  if (again.length === 0) return;
  await removeDocuments(database, collection, again);
  const [left] = await write(database, { insert: collection, documents: again.map(decodeExactly) });
  if (left !== undefined) throw refusedBy(collection, left);
}

const refusedBy = (collection: string, { errmsg }: WriteError): Error =>
  new Error(`a document of ${collection} cannot be stored: ${errmsg}`);

/** Deletes the documents with the ids of these. */
export async function removeDocuments(database: Database, collection: string, documents: readonly RawDocument[]): Promise<void> {
  const deletes = documents.map((document) => ({ q: { _id: idOf(document) }, limit: 1 }));
  if (deletes.length > 0) await write(database, { delete: collection, deletes });
}

/** The result of a merge. */
export interface MergeResult {
  /** Documents that are stored, and that were left out because one with their id is stored. */
  readonly stored: number;
  readonly kept: number;
  /** Documents that are left out because a unique index refuses them: the fields of the index. */
  readonly refused: ReadonlyMap<string, number>;
}

interface MergeInput {
  readonly from: string;
  readonly to: string;
  readonly conflict: Conflict;
}

/** What a unique index has refused: the fields of the index, by the bytes of the id. */
type Refused = Map<RawDocument, string>;

/**
 * Copies all documents of a collection to another one. May run twice. With `replace`, a value may become free later, so documents that
 * were refused are tried again until none is stored any more.
 */
export async function mergeDocuments(database: Database, input: MergeInput): Promise<MergeResult> {
  let merged = await mergeAll(database, input, scanDocuments(database, input.from));
  for (let before = Infinity; input.conflict === 'replace' && merged.refused.size > 0 && merged.refused.size < before;) {
    const ids = [...merged.refused.keys()];
    if (before === Infinity) ids.reverse();
    before = ids.length;
    const again = await mergeAll(database, input, backwards(database, input.from, ids));
    merged = { ...again, stored: merged.stored + again.stored, kept: merged.kept + again.kept };
  }
  const refused = new Map<string, number>();
  for (const fields of merged.refused.values()) refused.set(fields, (refused.get(fields) ?? 0) + 1);
  return { ...merged, refused };
}

/** Reads documents by their ids, which descend: where each waits for the next one, all of them are stored at once. */
async function* backwards(
  database: Database,
  collection: string,
  ids: readonly RawDocument[],
): AsyncGenerator<readonly RawDocument[]> {
  const readConcern = { level: 'majority' };
  for await (const { documents } of readDocuments(database, { collection, ids, readConcern }))
    if (documents.length > 0) yield documents.toReversed();
}

async function mergeAll(
  database: Database,
  { to, conflict }: MergeInput,
  batches: AsyncIterable<readonly RawDocument[]>,
): Promise<Omit<MergeResult, 'refused'> & { readonly refused: Refused }> {
  let [stored, kept] = [0, 0];
  const refused: Refused = new Map();
  for await (const documents of batches) {
    const errors = await write(database, commandOf(to, conflict, documents.map(decodeExactly)));
    stored += documents.length - errors.length;
    for (const error of errors) {
      if (error.code !== duplicateKey) throw refusedBy(to, error);
      const fields = Object.keys(error.keyPattern ?? {}).join(', ');
      const document = documents[error.index];
      if (fields === '_id') kept += 1;
      else if (document !== undefined) refused.set(idDocument(document), fields);
    }
  }
  return { stored, kept, refused };
}

function commandOf(to: string, conflict: Conflict, documents: readonly ExactDocument[]): Document {
  if (to === collections.counters) return { update: to, updates: documents.map(raising) };
  if (conflict === 'skip') return { insert: to, documents };
  return { update: to, updates: documents.map((u) => ({ q: { _id: valueOf(u, '_id') }, u, upsert: true })) };
}

/** Returns the update that raises a counter of ids. It never becomes lower, so that no id is used twice. */
const raising = (document: ExactDocument): Document => ({
  q: { _id: valueOf(document, '_id') },
  u: { $max: { next: valueOf(document, 'next') } },
  upsert: true,
});
