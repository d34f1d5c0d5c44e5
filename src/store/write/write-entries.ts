import { BSON, type Document } from 'mongodb';
import type { SingleWrite } from '../changes/expected-writes.js';
import type { Subscription } from '../changes/entry-events.js';
import { hasValues, inCurrentForm, matchCounted, noteOf, noteWrite, raising } from './bulk-write.js';
import { type Change, compileChange } from './compile-change.js';
import { changesAttributes, withSubscribers, notify } from './notify-subscribers.js';
import type { Selection } from '#model/query/plan.js';
import { idTakenError, unconfirmedError } from '#base/errors.js';
import { inReadTime } from '../send/calls.js';
import { unlimited } from '#base/limits/budget.js';
import { commentIn } from '../send/database.js';
import { DuplicateKey } from '../send/driver-errors.js';
import { inDraft, withDraft } from '../form/draft.js';
import { compileReturned } from '../read/compile-projection.js';
import type { Store } from '../store.js';
import { findFirst } from '../stored.js';
import { runWrite } from './write-command.js';

/** A document with a numeric id. */
export type EntryDocument = Document & { readonly _id: number };

/**
 * Inserts one document. Throws DuplicateKey if a unique index refuses it, and a 503 (`id-taken`) if another document has its id.
 */
async function insertEntry(store: Store, collection: string, document: EntryDocument): Promise<void> {
  await writeOne(store, { collection, id: document._id, count: 1 }, async (inner) => {
    const { searches, moves } = inner.database;
    const complete = moves.document(collection, searches.completeDocument(collection, document));
    try {
      await runWrite(inner.database, { insert: collection, documents: [complete] });
    } catch (error) {
      if (!(error instanceof DuplicateKey && error.fields[0] === '_id')) throw error;
      if (!error.mayBeOwn) {
        inner.ids.forget(); // an import has inserted another document with an id that was reserved here
        throw idTakenError();
      }
      await assertStored(inner, collection, complete);
    }
    return document;
  });
}

/**
 * Throws a 503 unless exactly this document is stored. If it is, an earlier attempt has stored it and its reply was lost. Otherwise
 * it may have been changed since, or an import may have inserted another one.
 */
async function assertStored({ database }: Store, collection: string, document: Document): Promise<void> {
  const stored = database.db.collection(collection);
  const bytes: unknown = await inReadTime(database, () =>
    stored.findOne({ _id: document['_id'] }, { raw: true, ...commentIn(database) }),
  );
  const isSame = bytes instanceof Uint8Array && Buffer.compare(bytes, BSON.serialize(document, { ignoreUndefined: true })) === 0;
  if (!isSame) throw unconfirmedError();
}

interface EntryUpdate {
  readonly match: Document;
  readonly change: Change;
  /** What is read of the updated document, which may be returned as a whole nevertheless; all by default. */
  readonly selection?: Selection;
  /** The document as the same transaction has read it, if it has. */
  readonly before?: Document;
  /** Whether the draft beside the entry is changed, and not the entry. */
  readonly ofDraft?: boolean;
}

/**
 * Updates one document and returns the updated document; null if none matches. With a projection it takes the server a third
 * longer, because only without one an update by id needs no query planning (EXPRESS_UPDATE). An update of publication state or
 * locale is sent for a document with these values first, because clients often repeat them, and totals stay valid then. Only if
 * there is none, or the document is known to have others, a command makes the change.
 */
const updateEntry = (store: Store, collection: string, update: EntryUpdate): Promise<EntryDocument | null> =>
  withSubscribers(store, [collection, update.ofDraft === true ? 'draft' : 'update'], (inner, hearing) =>
    updateOne(inner, collection, update, hearing),
  );

async function updateOne(
  store: Store,
  collection: string,
  { match, change, selection, before: known, ofDraft = false }: EntryUpdate,
  hearing: Subscription | null,
): Promise<EntryDocument | null> {
  const { replies, searches, moves } = store.database;
  const completeUpdate = searches.completeUpdate(collection, raising(store, collection, compileChange(change)));
  const subscription = hearing !== null && changesAttributes(completeUpdate) ? hearing : null;
  const update = ofDraft ? inDraft(moves.update(collection, completeUpdate)) : moves.update(collection, completeUpdate);
  const needsBefore = subscription?.subscribers.some((one) => one.needsBefore) === true;
  const free = { ...store.database, budget: unlimited };
  const before = needsBefore ? (known ?? (await findFirst(free, collection, match))) : null;
  const read = selection === undefined ? { projection: {}, mayBeWhole: false } : compileReturned(selection);
  const fields = subscription !== null || (read.mayBeWhole && replies.takesWhole(collection)) ? undefined : read.projection;
  const send = async (query: Document): Promise<EntryDocument | null> => {
    const command = { findAndModify: collection, query, update, new: true, fields };
    const { value } = await inCurrentForm(store, { collection, matches: () => [match] }, () => runWrite(store.database, command));
    return value as EntryDocument | null; // the reply of findAndModify
  };
  const counted = matchCounted(update);
  const isRepeated = counted !== null && (known === undefined || hasValues(known, counted));
  const unchanged = isRepeated ? await send({ $and: [match, counted] }) : null;
  const document = unchanged ?? (await send(match));
  if (document === null) return document;
  if (fields === undefined) replies.noteWhole(collection, document);
  noteWrite(store, collection, unchanged === null ? noteOf([update]) : { kind: 'values' });
  const fact = ofDraft ? { kind: 'draft' as const, document: withDraft(document) } : { kind: 'update' as const, document };
  if (subscription !== null) await notify(store, subscription, [{ ...fact, ...(before && { before }) }]);
  return document;
}

/** Deletes one document and returns it; null if none matches. */
async function deleteEntry(store: Store, collection: string, match: Document): Promise<EntryDocument | null> {
  const id = (match as { readonly _id?: unknown })._id;
  return writeOne(store, { collection, id, count: -1 }, async ({ database }) => {
    const { value } = await runWrite(database, { findAndModify: collection, query: match, remove: true });
    return value as EntryDocument | null; // the reply of findAndModify
  });
}

/** Runs a write of one entry, which resolves to the entry or null, and tells of it. */
const writeOne = <Written extends EntryDocument | null>(
  store: Store,
  single: SingleWrite,
  write: (store: Store) => Promise<Written>,
): Promise<Written> => {
  const kind = single.count === 1 ? 'create' : 'delete';
  return withSubscribers(store, [single.collection, kind], async (inner, hearing) => {
    const document = await reportOne(inner, single, () => write(inner));
    if (document !== null && hearing !== null) await notify(inner, hearing, [{ kind, document }]);
    return document;
  });
};

/** Does the same for caches, so that cached totals are adjusted. */
async function reportOne<Written extends EntryDocument | null>(
  store: Store,
  single: SingleWrite,
  write: () => Promise<Written>,
): Promise<Written> {
  const { changes, database } = store;
  const { collection, id, count } = single;
  const isKnown = typeof id === 'number' && (database.session === null || database.undo !== undefined);
  const begun = changes.tick();
  // nothing was written, or it is unknown whether: a reported change that was taken for this write may be that of another
  // instance
  const forget = (): void => void (changes.settle(single) || changes.changed(collection));
  if (isKnown) changes.expect(single);
  let document: Written | null = null;
  try {
    document = await write();
  } finally {
    if (isKnown && document === null) forget();
  }
  if (document === null) return document;
  if (isKnown) database.undo?.push(forget);
  noteWrite(store, collection, isKnown ? { kind: 'entry', count, document, begun } : { kind: 'any' });
  return document;
}

/** Writes of one entry. */
export const entryStore = { insert: insertEntry, update: updateEntry, remove: deleteEntry };
