import type { ContentContext } from './content-context.js';
import { withDatabase, withoutHooks } from './content-context.js';
import { findOne } from './find-one.js';
import { Alarm } from '../limits/timers.js';
import type { Loaded } from '../mongo/form/loaded.js';
import type { Match } from '../mongo/form/matches.js';
import type { Database } from '../mongo/send/database.js';
import { inTransaction } from '../mongo/send/transaction.js';
import { deleteEntry } from '../mongo/write/write-entries.js';
import { countExisting } from '../mongo/read/look-ups.js';
import { isStored } from '../mongo/stored.js';
import type { Query } from '../query/ast.js';
import type { ContentType } from '../schema/content-type.js';
import { referrersOf, unlinkAll } from '../mongo/write/referrers.js';
import { matchExpected, refuseUnexpected, type EntryKey } from './meet-precondition.js';
import { mayLead, passLead } from './pass-lead.js';
import { runWrite } from './run-write.js';

/**
 * Deletes an entry with all links to it. Returns the entry as it was; null if there is none. Throws a PreconditionFailedError if it
 * is not of the expected version.
 */
export async function remove(key: EntryKey, query: Query, context: ContentContext): Promise<Loaded | null> {
  const { type, id } = key;
  const entry = await findOne(type, id, query, withoutHooks(context));
  if (entry === null) return null;
  const match = matchExpected({ _id: id }, key);
  const removed = await runWrite({ action: 'delete', type, where: { id }, query, selection: entry.selection }, context, {
    run: async (_, inside) => ((await removeEntry(type, id, match, inside)) ? entry : null),
    written: (removed) => (removed === null ? null : { id }),
    ...(key.expected !== undefined && { exists: ({ store }) => isStored(store.database, type.collection, match) }),
  });
  return removed ?? refuseUnexpected(key, { _id: id }, context);
}

/** Returns false if another request deleted the entry first. */
async function removeEntry(type: ContentType, id: number, match: Match, context: ContentContext): Promise<boolean> {
  const { database } = context.store;
  const referrers = referrersOf(type, context.bind.registry);
  const alone = referrers.length === 0 && !mayLead(type, context);
  const work = (inner: Database) => removeWithin(type, id, match, withDatabase(context, inner));
  const isRemoved = await (alone ? work(database) : inTransaction(database, work));
  if (isRemoved && referrers.length > 0) unlinkLater(type, id, context);
  return isRemoved;
}

/** Delay in milliseconds before links to a deleted entry are removed once more: a concurrent write may have added some. */
const secondLook = 2000;

function unlinkLater(type: ContentType, id: number, entered: ContentContext): void {
  const context = withDatabase(entered, { ...entered.store.database, session: null }); // the transaction has ended by then
  const look = async (): Promise<void> => {
    // If another program has restored the entry in the meantime, its links are valid.
    if (((await countExisting([{ collection: type.collection, ids: [id] }], context.store.database))[0] ?? 0) > 0) return;
    await unlink(type, [id], context);
  };
  // Not awaited: a remaining link is hidden wherever entries are shown.
  new Alarm(() => void look().catch(() => undefined), { ref: false }).set(secondLook);
}

async function removeWithin(type: ContentType, id: number, match: Match, context: ContentContext): Promise<boolean> {
  const deleted = await deleteEntry(context.store, type.collection, match);
  if (deleted === null) return false;
  await passLead(type, [deleted], context);
  await unlink(type, [id], context);
  return true;
}

/** Removes all links to entries. */
export const unlink = (type: ContentType, ids: readonly number[], { bind, store }: ContentContext): Promise<void> =>
  unlinkAll({ type, ids }, bind.registry, store);
