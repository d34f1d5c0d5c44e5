import { collections } from '#model/schema/collections.js';
import type { ModelDocument } from '#model/schema/model.js';
import { type Rename, renamesIn, withServedNames } from '#model/schema/renames.js';
import { isRecord } from '#base/values.js';
import { inWriteTime } from '../send/calls.js';
import type { Database } from '../send/database.js';
import { findStored } from '../stored.js';
import { is } from '../form/matches.js';

/**
 * The steps of a rename:
 * - copying: the former name is served, writes store both, and entries are copied.
 * - switched: the new name is served, and writes still store both, for instances that have not heard of it.
 * - clearing: writes store the new name only, and what is stored under the former one is removed.
 * - done: nothing is left to do. The record stays as long as the model has the attribute, so that the former name may come back.
 */
type Phase = 'copying' | 'switched' | 'clearing' | 'done';

/** A rename with its state, a document of `_settings`. */
export interface RenameRecord extends Rename {
  readonly phase: Phase;
  /** The time when the phase began. */
  readonly since: Date;
  /** The collection of a renamed type, which stays. */
  readonly collection?: string;
}

const prefix = 'rename';

/** Returns the key of a rename. */
export const renameKey = ({ kind, uid, from, to }: Rename): string => `${prefix}-${kind} ${uid} ${from} ${to}`;

/** Returns the records of all renames. */
export async function readRenames(database: Database): Promise<readonly RenameRecord[]> {
  const match = { _id: is.startingWith(`${prefix}-`) };
  const rows = await findStored(database, collections.settings, { match, sort: { _id: 1 } });
  return rows.map(({ kind, uid, from, to, phase, since, collection }) => ({
    ...{ kind, uid, from, to, phase, since },
    ...(typeof collection === 'string' && { collection }),
  })) as unknown as readonly RenameRecord[]; // written below
}

/** Returns models with the names and collections that are served, as renames have them. */
export function servedDocuments(documents: readonly ModelDocument[], records: readonly RenameRecord[]): readonly ModelDocument[] {
  const keys = new Set(renamesIn(documents).map(renameKey));
  const isNamed = (one: RenameRecord): boolean => one.phase !== 'done' || keys.has(renameKey(one));
  const served = records
    .filter(isNamed)
    .map((one) => ({ ...one, serves: one.phase === 'copying' ? ('from' as const) : ('to' as const) }));
  const otherRecords = records.filter((one) => !isNamed(one));
  return withServedNames(withCollections(documents, keptCollections(otherRecords)), served);
}

/** Returns the collections that renamed types have kept, by uid. */
export const keptCollections = (records: readonly RenameRecord[]): ReadonlyMap<string, string> =>
  new Map(records.flatMap(({ to, collection }) => (collection === undefined ? [] : [[to, collection] as const])));

/** Returns models with the collections of types that no longer name their former uid, so that another type can have that uid. */
export const withCollections = (
  documents: readonly ModelDocument[],
  kept: ReadonlyMap<string, string>,
): readonly ModelDocument[] =>
  kept.size === 0 ? documents : documents.map((one) => (kept.has(one.uid) ? { ...one, collectionName: kept.get(one.uid) } : one));

const settings = ({ db }: Database) => db.collection<{ readonly _id: string }>(collections.settings);

/** Stores the record of a rename that has none. */
export async function beginRename(database: Database, record: Omit<RenameRecord, 'since'>): Promise<void> {
  const filter = { _id: renameKey(record) };
  await inWriteTime(database, () =>
    settings(database).updateOne(filter, { $setOnInsert: { ...record, since: new Date() } }, { upsert: true }),
  );
}

/** Puts a rename into its next phase, unless it is no longer in the given one. */
export async function enterPhase(database: Database, record: RenameRecord, phase: Phase): Promise<void> {
  const filter = { _id: renameKey(record), phase: record.phase };
  await inWriteTime(database, () => settings(database).updateOne(filter, { $set: { phase, since: new Date() } }));
}

/** Removes the records of renames that no model asks for, unless another instance has put one into another phase. */
export async function forgetRenames(database: Database, records: readonly RenameRecord[]): Promise<void> {
  if (records.length === 0) return;
  const match = { $or: records.map((record) => ({ _id: renameKey(record), phase: record.phase })) };
  await inWriteTime(database, () => settings(database).deleteMany(match));
}

/** Maximum number of finished renames of attributes that are remembered although no model asks for them. The oldest are forgotten. */
const mostFinished = 1_000;

/** Returns the records that are remembered: those that a model asks for, and the newest finished ones. */
export function keptRenames(records: readonly RenameRecord[], documents: readonly ModelDocument[]): readonly RenameRecord[] {
  const isFinished = ({ kind, phase }: RenameRecord): boolean => kind === 'attribute' && phase === 'done';
  const rememberedRecords = records.filter((one) => isKept(one, documents));
  const finished = rememberedRecords.filter(isFinished).sort((a, b) => b.since.getTime() - a.since.getTime());
  return [...rememberedRecords.filter((one) => !isFinished(one)), ...finished.slice(0, mostFinished)];
}

/**
 * Returns whether a record is kept although no model asks for the rename: a renamed type keeps its collection, a move of values that
 * has begun is finished, and one that is finished does not begin again if the model asks for it again.
 */
function isKept({ kind, uid, from, to, collection }: RenameRecord, documents: readonly ModelDocument[]): boolean {
  if (kind === 'type') return collection !== undefined;
  const attributes = documents.find((document) => document.uid === uid)?.attributes;
  return isRecord(attributes) && Object.hasOwn(attributes, to) && !Object.hasOwn(attributes, from);
}
