import { findStored } from '../mongo/stored.js';
import { leading } from '../mongo/form/layout.js';
import { oneOf } from '../mongo/form/matches.js';
import { bulkWrite } from '../mongo/write/bulk-write.js';
import type { ContentType } from '../schema/content-type.js';
import type { ContentContext, WrittenMany } from './content-context.js';
import { mayLead, passLead } from './pass-lead.js';
import { unlink } from './remove.js';
import { idsOfMany, type ManyEntries } from './update-many.js';
import { writePortions } from './run-write.js';

/** Deletes the entries that meet a filter, in portions, with all links to them. Returns their number. */
export async function removeMany(entries: ManyEntries, context: ContentContext): Promise<WrittenMany> {
  const { type, where } = entries;
  const write = { action: 'deleteMany', type, where, selection: null } as const;
  return writePortions(write, context, {
    ids: (filter, inside) => idsOfMany({ ...entries, filter }, inside),
    filter: entries.filter,
    run: (ids, _, inside) => removeWithin(type, ids, inside),
  });
}

async function removeWithin(type: ContentType, ids: readonly number[], context: ContentContext): Promise<void> {
  const { store } = context;
  const filter = { _id: oneOf(ids) };
  const leads = mayLead(type, context)
    ? await findStored(store.database, type.collection, { match: { ...filter, ...leading } })
    : [];
  await bulkWrite(store, type.collection, [{ deleteMany: { filter } }]);
  await passLead(type, leads, context);
  await unlink(type, ids, context);
}
