import { findStored } from '../mongo/stored.js';
import { groupField, groupOf, leading, leadsGroup } from '../mongo/form/layout.js';
import type { StoredDocument } from '../mongo/form/loaded.js';
import { oneOf } from '../mongo/form/matches.js';
import { bulkWrite } from '../mongo/write/bulk-write.js';
import { changeOne } from '../mongo/write/compile-change.js';
import { sharedUniquePaths } from '../schema/attribute-places.js';
import type { ContentType } from '../schema/content-type.js';
import type { ContentContext } from './content-context.js';

/** Returns whether entries of a type may lead their group, because it has unique values that all locales share. */
export const mayLead = (type: ContentType, { bind }: ContentContext): boolean =>
  sharedUniquePaths(type, bind.registry).length > 0;

/**
 * Lets the oldest remaining entry lead the group of each deleted entry that led one, inside the transaction of the deletion. It
 * keeps the group's unique values from other groups.
 */
export async function passLead(type: ContentType, deleted: readonly StoredDocument[], { store }: ContentContext): Promise<void> {
  const groups = deleted.filter(leadsGroup).map(groupOf);
  if (groups.length === 0) return;
  const remaining = await findStored(store.database, type.collection, {
    match: { [groupField]: oneOf(groups) },
    fields: ['_id', groupField],
    sort: { _id: -1 },
  });
  const oldest = new Map(remaining.map((document) => [groupOf(document), document['_id']]));
  const operations = [...oldest.values()].map((_id) => changeOne({ _id }, { set: leading }));
  await bulkWrite(store, type.collection, operations);
}
