import { oneOf } from '../mongo/matches.js';
import { readAll } from '../mongo/database.js';
import { afterCommit, inTransaction } from '../mongo/transaction.js';
import { bulkWrite, deleteEntry } from '../mongo/write/write-entries.js';
import { uploadFile, type ContentType } from '../schema/content-type.js';
import { within, type ContentContext } from './content-context.js';
import { referrersOf, unlinkOperations } from '../mongo/write/referrers.js';
import { matchMany, type ManyEntries } from './update-many.js';
import { withHooks } from './write-hooks.js';

/** Entries that are deleted in one transaction, so that none grows beyond what the server takes. */
const atOnce = 1000;

/** Deletes the entries that meet a filter, all links to them and the bytes of files; returns how many there were. */
export const removeMany = ({ type, filter, where }: ManyEntries, context: ContentContext): Promise<number> =>
  withHooks({ action: 'deleteMany', type, where, selection: null }, context, {
    run: async (_, inside) => {
      const match = await matchMany({ type, filter }, inside);
      const command = { find: type.collection, filter: match, projection: { _id: 1 }, batchSize: 1_000_000 };
      const ids = (await readAll(inside.store.database, command)).map(({ _id }) => Number(_id));
      for (let start = 0; start < ids.length; start += atOnce) await removeSome(type, ids.slice(start, start + atOnce), inside);
      return ids.length;
    },
    written: (count) => ({ count }),
  });

const removeSome = (type: ContentType, ids: readonly number[], context: ContentContext): Promise<void> =>
  inTransaction(context.store.database, (database) => removeWithin(type, ids, within(context, database)));

async function removeWithin(type: ContentType, ids: readonly number[], context: ContentContext): Promise<void> {
  const { store } = context;
  if (type.uid === uploadFile) for (const id of ids) await removeFile(type, id, context);
  else await bulkWrite(store, type.collection, [{ deleteMany: { filter: { _id: oneOf(ids) } } }]);
  for (const { collection, links } of referrersOf(type, context.bind.registry))
    await bulkWrite(
      store,
      collection,
      ids.flatMap((id) => unlinkOperations(links, type, id)),
    );
}

async function removeFile(type: ContentType, id: number, { store, retireFile }: ContentContext): Promise<void> {
  const deleted = await deleteEntry(store, type.collection, { _id: id });
  if (deleted !== null && retireFile) await afterCommit(store.database, await retireFile(deleted, store.database));
}
