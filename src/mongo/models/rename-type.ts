import type { Document } from 'mongodb';
import { linkPaths } from '../../schema/attribute-places.js';
import type { Registry } from '../../schema/content-type.js';
import { inWriteTime } from '../send/calls.js';
import type { Database } from '../send/database.js';
import { removeModel } from '../stores/model-store.js';
import { enterPhase, type RenameRecord } from '../stores/rename-store.js';
import { changeRecords, copyRights, removeFormerRights, type UidChange } from '../stores/uid-records.js';
import { isFollowed, isYoung, type RenameContext } from './rename-fields.js';

/**
 * Takes the next step of the rename of a type, if it can be taken. Its entries stay in their collection, so that all instances
 * answer them under one uid or the other. Returns whether the rename has entered its next phase.
 */
export async function advanceType(record: RenameRecord, { database, registry }: RenameContext): Promise<boolean> {
  if (!(await isFollowed(record, database))) return false;
  switch (record.phase) {
    case 'copying':
      await copyRights(database, record);
      return enterPhase(database, record, 'switched');
    case 'switched':
      await changeRecords(database, record);
      if ((await changeLinks(database, record, registry)) > 0 || isYoung(record)) return false;
      return enterPhase(database, record, 'clearing');
    case 'clearing':
      await removeFormerRights(database, record);
      await removeModel(database, record.from, { isRenamed: true });
      return enterPhase(database, record, 'done');
    case 'done':
      return false;
  }
}

/** Gives polymorphic links to entries of a type its new uid. Returns the number of documents that were changed. */
async function changeLinks(database: Database, { from, to }: UidChange, registry: Registry): Promise<number> {
  let changed = 0;
  for (const type of registry.types.values()) {
    if (type.kind === 'component') continue;
    for (const { steps, attribute } of linkPaths(type, registry)) {
      if (attribute.kind !== 'morph') continue;
      const marked = steps.map(({ name, list }) => (list ? `${name}.$[]` : name)).join('.');
      const path = [...(marked === '' ? [] : [marked]), attribute.name].join('.');
      const match = { [`${path.replaceAll('.$[]', '')}.__type`]: from };
      const update: Document = { $set: { [`${path}${attribute.many ? '.$[link]' : ''}.__type`]: to } };
      const options = attribute.many ? { arrayFilters: [{ 'link.__type': from }] } : {};
      const entries = database.db.collection(type.collection);
      const { modifiedCount } = await inWriteTime(database, () => entries.updateMany(match, update, options));
      changed += modifiedCount;
    }
  }
  return changed;
}
