import { isDeepStrictEqual } from 'node:util';
import type { AnyBulkWriteOperation, Document } from 'mongodb';
import { byCollection, type Change as WriteNote } from '../changes/changes.js';
import { countedFields } from '../changes/total-cache.js';
import { inReadTime, inWriteTime } from '../send/calls.js';
import { commentIn, type Database, inScope } from '../send/database.js';
import { inOrder } from '../send/read-commands.js';
import { isOtherForm, StaleForm } from '../send/driver-errors.js';
import { raisingVersion } from '../form/loaded.js';
import { matchesAny } from '../form/matches.js';
import type { Store } from '../store.js';
import { formChanges } from './stale-forms.js';
import { notifyCompared } from './notify-subscribers.js';

/** Runs several writes on one collection by one command, as `inCurrentForm`. Returns the number of documents that matched. */
export async function bulkWrite(store: Store, collection: string, documents: readonly Document[]): Promise<number> {
  if (documents.length === 0) return 0;
  const operations = documents.map((operation) => raisingOperation(store, collection, operation));
  const written = { collection, matches: () => operations.flatMap(matchIn) };
  const write = (inner: Store) => inCurrentForm(inner, written, () => send(inner, collection, operations));
  const hearing = store.changes.subscription(collection, ...new Set(operations.map(kindOf)));
  return hearing === null ? write(store) : notifyCompared(store, hearing, operations, write);
}

/** Returns the kind of an operation. One that creates a document unless there is one is not told if it does. */
const kindOf = (operation: Document) =>
  'insertOne' in operation ? 'create' : 'deleteOne' in operation || 'deleteMany' in operation ? 'delete' : 'update';

interface Written {
  readonly collection: string;
  /** Returns the matches of the documents that are changed. */
  readonly matches: () => readonly Document[];
}

/**
 * Runs a write. If it meets documents in the form of a former model or of another program, converts them and runs it again. Inside
 * a transaction it throws StaleForm instead, because the error has ended the transaction, and the transaction runs again.
 */
export async function inCurrentForm<Result>(store: Store, written: Written, write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    const matches = isOtherForm(error) ? written.matches() : [];
    if (matches.length === 0) throw error;
    const outside = { ...store, database: { ...store.database, session: null } };
    const complete = () => completeForms(outside, written.collection, matches);
    if (store.database.session !== null) throw new StaleForm(written.collection, complete, error);
    await complete();
    return write();
  }
}

async function send(store: Store, collection: string, operations: readonly Document[]): Promise<number> {
  const { db, session, maxTimeMS, written } = store.database;
  const options = {
    maxTimeMS: maxTimeMS.write,
    ordered: true,
    ...inScope(store.database),
  };
  const complete: readonly Document[] = operations.map((operation) => completeOperation(operation, collection, store.database));
  const list = complete as readonly AnyBulkWriteOperation[]; // checked by the driver
  const result = await inWriteTime(store.database, () =>
    inOrder(store.database, () => {
      if (session !== null) written?.note(collection, operations.flatMap(matchIn));
      return db.collection(collection).bulkWrite(list, options);
    }),
  );
  noteWrite(store, collection, noteOf(operations.map(updateIn)));
  return result.matchedCount;
}

/** Number of documents that are read and written at once. */
const batch = 500;

/** Converts the documents of some matches to the form of their current model. Returns whether there were any to convert. */
async function completeForms(store: Store, collection: string, matches: readonly Document[]): Promise<boolean> {
  const types = store.types();
  const type = [...types.values()].find((one) => one.collection === collection);
  if (type === undefined) return false;
  const { db, maxTimeMS } = store.database;
  const cursor = db
    .collection(collection)
    .find(matchesAny(...matches), { batchSize: batch, maxTimeMS: maxTimeMS.read, ...commentIn(store.database) });
  let completed = 0;
  try {
    while (await inReadTime(store.database, () => cursor.hasNext())) {
      const changes = formChanges(type, cursor.readBufferedDocuments(batch), types);
      if (changes.length > 0) completed += await send(store, collection, changes);
    }
  } finally {
    await cursor.close();
  }
  return completed > 0;
}

/** Returns the update of an operation, in the driver's form; undefined for other operations. */
const writtenBy = (operation: Document) => (operation['updateOne'] ?? operation['updateMany']) as Document | undefined;

/** Returns the match of the documents that an operation changes, in a list. */
function matchIn(operation: Document): Document[] {
  const written = writtenBy(operation);
  return written === undefined ? [] : [written['filter'] as Document];
}

/** Returns the update of an operation that only changes existing entries; null for other operations. */
function updateIn(operation: Document): Document | null {
  const written = writtenBy(operation);
  return written === undefined || written['upsert'] === true ? null : (written['update'] as Document);
}

/** Returns the kind of change that updates make, as far as totals depend on it. */
export const noteOf = (updates: readonly (Document | null)[]): WriteNote => ({
  kind: updates.every((update) => update !== null && !changesCounted(update)) ? 'values' : 'any',
});

const changesCounted = (update: Document): boolean =>
  Object.values(update).some((values) => countedFields.some((name) => Object.hasOwn(values as object, name)));

/**
 * Returns a match for the documents that have the values already which an update sets in fields that totals depend on; null if it
 * sets none, or changes such a field in another way.
 */
export function matchCounted(update: Document): Document | null {
  const { $set = {}, ...others } = update as { readonly $set?: Document };
  const names = countedFields.filter((name) => Object.hasOwn($set, name));
  return names.length === 0 || changesCounted(others)
    ? null
    : Object.fromEntries(names.map((name) => [name, $set[name] as unknown]));
}

/** Returns an update that raises the version of what it changes, if that are entries. */
export const raising = ({ types }: Store, collection: string, update: Document): Document =>
  byCollection(types()).has(collection) ? raisingVersion(update) : update;

/** Does the same for an operation. */
function raisingOperation(store: Store, collection: string, operation: Document): Document {
  const written = writtenBy(operation);
  if (written === undefined) return operation;
  const update = raising(store, collection, written['update'] as Document);
  return { ['updateOne' in operation ? 'updateOne' : 'updateMany']: Object.assign({}, written, { update }) };
}

/** Returns an operation with the trigrams of the texts that it stores, and with values under all names that they are stored under. */
function completeOperation(operation: Document, collection: string, { searches, moves }: Database): Document {
  if (!searches.hasTrigrams(collection) && !moves.concerns(collection)) return operation;
  const [[kind = '', written] = []] = Object.entries(operation) as [string, Document][]; // one key: the kind of the operation
  if (kind === 'insertOne') {
    const document = moves.document(collection, searches.completeDocument(collection, written?.['document'] as Document));
    return { insertOne: { document } };
  }
  if (kind !== 'updateOne' && kind !== 'updateMany') return operation;
  const update = moves.update(collection, searches.completeUpdate(collection, written?.['update'] as Document));
  return { [kind]: { ...written, update } };
}

/** Notifies caches of a write; again after the commit, because other requests read the former values until then. */
export function noteWrite({ changes, database }: Store, collection: string, note: WriteNote): void {
  const { session, later, budget } = database;
  // created and deleted entries change the totals when the transaction is committed
  changes.wrote(collection, session !== null && note.kind === 'entry' ? { kind: 'values' } : note);
  if (session === null) budget.noteChange();
  // before subscribers of earlier writes are told
  else later?.unshift(() => Promise.resolve(changes.wrote(collection, note)));
}

/** Returns whether a document has all of these dates and texts. */
export const hasValues = (document: Document, values: Document): boolean =>
  Object.entries(values).every(([name, value]) => isDeepStrictEqual(document[name] ?? null, value ?? null));
