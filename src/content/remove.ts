import { Alarm } from '#base/limits/timers.js';
import { localeGroup } from '#store/form/layout.js';
import type { LoadedEntry, StoredDocument } from '#store/form/loaded.js';
import { is, type Match } from '#store/form/matches.js';
import type { Database } from '#store/send/database.js';
import { inTransaction } from '#store/send/transaction.js';
import { findStored, isStored } from '#store/stored.js';
import { bulkWrite } from '#store/write/bulk-write.js';
import { changeOne } from '#store/write/compile-change.js';
import { storedLinks } from '#store/write/link-changes.js';
import { entryStore } from '#store/write/write-entries.js';
import type { Query } from '#model/query/ast.js';
import type { ContentType } from '#model/schema/content-type.js';
import { mayLead } from './build-document.js';
import { type ContentContext, withDatabase, withoutHooks, type WrittenMany } from './content-context.js';
import { findOne } from './find-one.js';
import { matchForDelete } from './drafts.js';
import { refuseUnexpected, type EntryKey } from './meet-precondition.js';
import { runWrite, writePortions } from './run-write.js';
import { idsOfMany, type ManyEntries } from './update-many.js';

/**
 * Deletes an entry with all links to it. Returns the entry as it was; null if there is none. Throws a PreconditionFailedError if it
 * is not of the expected version.
 */
export async function remove(key: EntryKey, query: Query, context: ContentContext): Promise<LoadedEntry | null> {
  const { type, id, where = { id } } = key;
  const entry = await findOne(type, id, query, withoutHooks(context));
  if (entry === null) return null;
  const match = await matchForDelete(key, context);
  const removed = await runWrite({ action: 'delete', type, id, where, query, selection: entry.selection }, context, {
    run: async (_, inside) => ((await removeEntry(type, id, match, inside)) ? entry : null),
    written: (removed) => (removed === null ? null : { id }),
    ...((key.expected ?? key.guard) !== undefined && { exists: ({ store }) => isStored(store.database, type.collection, match) }),
  });
  return removed ?? refuseUnexpected(key, { _id: id }, context);
}

/** Returns false if another request deleted the entry first. */
async function removeEntry(type: ContentType, id: number, match: Match, context: ContentContext): Promise<boolean> {
  const { database } = context.store;
  const referrers = storedLinks.referrersOf(type, context.bind.registry);
  const alone = referrers.length === 0 && !mayLead(type, context);
  const work = async (inner: Database): Promise<boolean> => {
    const inside = withDatabase(context, inner);
    const deleted = await entryStore.remove(inside.store, type.collection, match);
    if (deleted !== null) await endLinks(type, [id], [deleted], inside);
    return deleted !== null;
  };
  const isRemoved = await (alone ? work(database) : inTransaction(database, work));
  if (isRemoved && referrers.length > 0) unlinkLater(type, id, context);
  return isRemoved;
}

/** Delay in milliseconds before links to a deleted entry are removed once more: a concurrent write may have added some. */
const secondLook = 2000;

function unlinkLater(type: ContentType, id: number, entered: ContentContext): void {
  const outside = { ...entered.store.database, session: null }; // the transaction has ended by then
  // One transaction sees the entry and the links at one moment: links to an entry that another program has restored by then are valid.
  const look = async (database: Database): Promise<void> => {
    const { store, bind } = withDatabase(entered, database);
    if (await isStored(database, type.collection, { _id: id })) return;
    await storedLinks.unlinkAll({ type, ids: [id] }, bind.registry, store);
  };
  // Not awaited: a remaining link is hidden wherever entries are shown.
  new Alarm(() => void inTransaction(outside, look).catch(() => undefined), { ref: false }).set(secondLook);
}

/** Deletes the entries that meet a filter, in portions, with all links to them. Returns their number. */
export async function removeMany(entries: ManyEntries, context: ContentContext): Promise<WrittenMany> {
  const { type, where } = entries;
  const write = { action: 'deleteMany', type, where, selection: null } as const;
  return writePortions(write, context, {
    ids: (filter, inside) => idsOfMany({ ...entries, filter }, inside),
    filter: entries.filter,
    run: (ids, _, inside) => removePortion(type, ids, inside),
  });
}

async function removePortion(type: ContentType, ids: readonly number[], context: ContentContext): Promise<void> {
  const { store } = context;
  const filter = { _id: is.oneOf(ids) };
  const leads = mayLead(type, context)
    ? await findStored(store.database, type.collection, { match: { ...filter, ...localeGroup.leading } })
    : [];
  await bulkWrite(store, type.collection, [{ deleteMany: { filter } }]);
  await endLinks(type, ids, leads, context);
}

/**
 * Removes all links to deleted entries. Lets the oldest remaining entry lead the group of each one that led a group, which keeps the
 * unique values of the group from other groups. Runs inside the transaction of the deletion.
 */
async function endLinks(
  type: ContentType,
  ids: readonly number[],
  deleted: readonly StoredDocument[],
  { store, bind }: ContentContext,
): Promise<void> {
  const groups = deleted.filter(localeGroup.isLed).map(localeGroup.of);
  if (groups.length > 0) {
    const match = { [localeGroup.field]: is.oneOf(groups) };
    const remaining = await findStored(store.database, type.collection, {
      match,
      fields: ['_id', localeGroup.field],
      sort: { _id: -1 },
    });
    const oldest = new Map(remaining.map((document) => [localeGroup.of(document), document['_id']]));
    await bulkWrite(
      store,
      type.collection,
      [...oldest.values()].map((_id) => changeOne({ _id }, { set: localeGroup.leading })),
    );
  }
  await storedLinks.unlinkAll({ type, ids }, bind.registry, store);
}
