import { type LinkPath, linkPaths } from '../../schema/attribute-places.js';
import type { Registry } from '../../schema/content-type.js';
import { updateInside, type UpdateParts } from '../form/update-inside.js';
import { inWriteTime } from '../send/calls.js';
import type { Database } from '../send/database.js';
import { removeModel } from '../stores/model-store.js';
import { enterPhase, type RenameRecord } from '../stores/rename-store.js';
import { changeRecords, copyRights, removeFormerRights, type UidChange } from '../stores/uid-records.js';
import { isFollowed, isYoung, type RenameContext } from './rename-fields.js';

/**
 * Takes the next step of the rename of a type, if it can be taken. Its entries stay in their collection, so that all instances
 * answer them under one uid or the other.
 */
export async function advanceType(record: RenameRecord, { database, registry }: RenameContext): Promise<void> {
  if (!(await isFollowed(record, database))) return;
  switch (record.phase) {
    case 'copying':
      await copyRights(database, record);
      return enterPhase(database, record, 'switched');
    case 'switched':
      await changeRecords(database, record);
      if ((await changeLinks(database, record, registry)) > 0 || isYoung(record)) return;
      return enterPhase(database, record, 'clearing');
    case 'clearing':
      await removeFormerRights(database, record);
      await removeModel(database, record.from, { isRenamed: true });
      return enterPhase(database, record, 'done');
    case 'done':
  }
}

/** Gives polymorphic links to entries of a type its new uid. Returns the number of documents that were changed. */
async function changeLinks(database: Database, change: UidChange, registry: Registry): Promise<number> {
  let changed = 0;
  for (const type of registry.types.values()) {
    const links = type.kind === 'component' ? [] : linkPaths(type, registry).flatMap((link) => database.moves.placesOf(link));
    const entries = database.db.collection(type.collection);
    for (const link of links.filter(({ attribute }) => attribute.kind === 'morph')) {
      const { filter, update, arrayFilters } = uidUpdate(link, change);
      const { modifiedCount } = await inWriteTime(database, () => entries.updateMany(filter, update, { arrayFilters }));
      changed += modifiedCount;
    }
  }
  return changed;
}

function uidUpdate(link: LinkPath, { from, to }: UidChange): Required<UpdateParts> {
  const isList = link.attribute.kind === 'morph' && link.attribute.many;
  const { arrayFilters = [], ...parts } = updateInside(link, {
    match: (path) => ({ [`${path}.__type`]: from }),
    change: (path) => ({ $set: { [`${path}${isList ? '.$[link]' : ''}.__type`]: to } }),
  });
  return { ...parts, arrayFilters: [...arrayFilters, ...(isList ? [{ 'link.__type': from }] : [])] };
}
