import { collections } from '#model/schema/collections.js';
import type { ModelDocument } from '#model/schema/model.js';
import { renamesIn } from '#model/schema/renames.js';
import { isRecord, type Values } from '#base/values.js';
import { inWriteTime } from '../send/calls.js';
import { type Database, inScope } from '../send/database.js';
import { findStored } from '../stored.js';
import type { TypeRights } from './type-rights.js';

/** A part of a model that was removed; its data is still stored. */
export interface RemovedPart {
  readonly uid: string;
  /** The name of an attribute; null if the whole model was removed. */
  readonly attribute: string | null;
  /** The definition of the attribute, or the document of the model without its uid. */
  readonly definition: Values;
  readonly at: Date;
  /** The rights on a type that went with it. */
  readonly rights?: TypeRights | undefined;
}

/** Maximum number of parts that are remembered. The oldest are forgotten; their data stays. */
const mostRemoved = 1_000;

/** Returns the key of a removed part. */
const removedKey = ({ uid, attribute }: Pick<RemovedPart, 'uid' | 'attribute'>): string =>
  attribute === null ? uid : `${uid} ${attribute}`;

const removed = ({ db }: Database) => db.collection<RemovedPart & { readonly _id: string }>(collections.removed);

/** Returns the removed parts, the newest first. */
async function readRemoved(database: Database): Promise<readonly RemovedPart[]> {
  const rows = await findStored(database, collections.removed, { sort: { at: -1, _id: 1 }, limit: mostRemoved });
  return rows.map(({ uid, attribute, definition, at, rights }) => ({ uid, attribute, definition, at, rights }) as RemovedPart); // stored in this form
}

/**
 * Remembers the parts that models had before a change and lack after it. `rights` are those on a type that is removed; unless they are
 * given, those that are remembered stay.
 */
async function noteRemoved(
  database: Database,
  before: readonly ModelDocument[],
  after: readonly ModelDocument[],
  rights?: TypeRights,
): Promise<void> {
  const at = new Date();
  const renamed = new Set(renamesIn(after).map(({ kind, uid, from }) => (kind === 'type' ? from : `${uid} ${from}`)));
  const parts = before
    .flatMap((document) =>
      removedPartsOf(
        document,
        after.find(({ uid }) => uid === document.uid),
      ),
    )
    .filter((part) => !renamed.has(removedKey(part)));
  if (parts.length === 0) return;
  const operations = parts.map((part) => {
    const _id = removedKey(part);
    const update = { $set: { ...part, at, ...(rights !== undefined && part.attribute === null && { rights }) } };
    return { updateOne: { filter: { _id }, update, upsert: true } };
  });
  await inWriteTime(database, () => removed(database).bulkWrite(operations, inScope(database)));
  await forgetOldest(database);
}

type GonePart = Omit<RemovedPart, 'at'>;

function removedPartsOf({ uid, ...before }: ModelDocument, after: ModelDocument | undefined): readonly GonePart[] {
  if (after === undefined) return [{ uid, attribute: null, definition: before }];
  const { attributes: kept } = after;
  if (!isRecord(before.attributes) || !isRecord(kept)) return [];
  return Object.entries(before.attributes).flatMap(([attribute, definition]) =>
    Object.hasOwn(kept, attribute) || !isRecord(definition) ? [] : [{ uid, attribute, definition }],
  );
}

async function forgetOldest(database: Database): Promise<void> {
  const rows = await findStored(database, collections.removed, { fields: ['_id'], sort: { at: -1, _id: 1 }, skip: mostRemoved });
  if (rows.length === 0) return;
  const filter = { _id: { $in: rows.map(({ _id }) => String(_id)) } };
  await inWriteTime(database, () => removed(database).deleteMany(filter, inScope(database)));
}

/** Forgets a removed part, because it was restored, or its data was deleted. */
async function forgetRemoved(database: Database, part: RemovedPart): Promise<void> {
  await inWriteTime(database, () => removed(database).deleteOne({ _id: removedKey(part) }, inScope(database)));
}

/** The record of removed types and attributes. */
export const removedParts = {
  read: readRemoved,
  note: noteRemoved,
  forget: forgetRemoved,
};
