import { findStored } from '../mongo/stored.js';
import { leading } from '../mongo/form/layout.js';
import { oneOf } from '../mongo/form/matches.js';
import { afterCommit } from '../mongo/send/transaction.js';
import { bulkWrite } from '../mongo/write/bulk-write.js';
import { deleteEntry } from '../mongo/write/write-entries.js';
import { uploadFile, type ContentType } from '../schema/content-type.js';
import type { ContentContext } from './content-context.js';
import { referrersOf, unlinkOperations } from '../mongo/write/referrers.js';
import { mayLead, passLead } from './pass-lead.js';
import { idsOfMany, type ManyEntries } from './update-many.js';
import { writePortions } from './run-write.js';

/** Deletes the entries that meet a filter, in portions, with all links to them and the bytes of files. Returns their number. */
export async function removeMany(entries: ManyEntries, context: ContentContext): Promise<number> {
  const { type, where } = entries;
  const write = { action: 'deleteMany', type, where, selection: null } as const;
  return writePortions(write, context, {
    ids: await idsOfMany(entries, context),
    run: (ids, _, inside) => removeWithin(type, ids, inside),
  });
}

async function removeWithin(type: ContentType, ids: readonly number[], context: ContentContext): Promise<void> {
  const { store } = context;
  if (type.uid === uploadFile) for (const id of ids) await removeFile(type, id, context);
  else await removeEntries(type, ids, context);
  for (const { collection, links } of referrersOf(type, context.bind.registry))
    await bulkWrite(
      store,
      collection,
      ids.flatMap((id) => unlinkOperations(links, type, id)),
    );
}

async function removeEntries(type: ContentType, ids: readonly number[], context: ContentContext): Promise<void> {
  const filter = { _id: oneOf(ids) };
  const { store } = context;
  const leads = mayLead(type, context)
    ? await findStored(store.database, type.collection, { match: { ...filter, ...leading } })
    : [];
  await bulkWrite(store, type.collection, [{ deleteMany: { filter } }]);
  await passLead(type, leads, context);
}

async function removeFile(type: ContentType, id: number, { store, retireFile }: ContentContext): Promise<void> {
  const deleted = await deleteEntry(store, type.collection, { _id: id });
  if (deleted !== null && retireFile) await afterCommit(store.database, await retireFile(deleted, store.database));
}
