import { createHash } from 'node:crypto';
import type { Timestamp } from 'mongodb';
import { memoize } from '#base/caches.js';
import { changeLog } from '#model/schema/collections.js';
import type { Values } from '#base/values.js';
import { is } from '../form/matches.js';
import { inWriteTime } from '../send/calls.js';
import type { Database } from '../send/database.js';
import { readAll } from '../send/read-commands.js';

/** The id of the state. */
export const stateId = 'log';

/** A change of a followed collection. */
export interface Change {
  /** The collection; null if all may have changed. */
  readonly collection: string | null;
  /** `reset`: what has changed in the collection is not known. */
  readonly kind: 'insert' | 'update' | 'replace' | 'delete' | 'reset';
  /** The id of the document; absent for `reset`. */
  readonly id?: unknown;
  /** The fields that an update has changed. */
  readonly fields?: readonly string[];
  /**
   * The values of the recorded fields before the change. Null if the server does not know them; absent if there was no document, no
   * field of the collection is recorded, or an update has changed none of these.
   */
  readonly former?: Values | null;
  /** The place in the stream. Places sort as strings in the order of the stream, and no two changes have the same. */
  readonly token: string;
  /** The cluster time. A majority read after this time sees the change, and all earlier ones. */
  readonly time: Timestamp;
}

/** A change as it is stored. */
export interface StoredChange extends Change {
  /** Its number. */
  readonly _id: number;
  /** The mark of the change before; null in the first one of an epoch. */
  readonly before: number | null;
  readonly at: Date;
}

/** The end of the log. */
export interface LogPlace {
  readonly seq: number;
  /** Distinguishes the change of that number from others that had it before the log was lost. */
  readonly mark: number;
}

/** Fields of a collection, by its name. */
export type FieldsOf = ReadonlyMap<string, ReadonlySet<string>>;

/** The same as it is stored. */
interface RecordedFields {
  readonly collection: string;
  readonly fields: readonly string[];
}

/** The state of the log, as it is stored. */
export interface LogState extends LogPlace {
  readonly _id: typeof stateId;
  /** Another one begins if changes may have been missed. */
  readonly epoch: string;
  readonly time: Timestamp;
  /** The collections whose changes are logged. */
  readonly followed: readonly string[];
  /** The fields of collections whose former values are logged. Absent in the state of an earlier version. */
  readonly recorded?: readonly RecordedFields[];
  /** The resume token of the change stream after the last logged change, or later. */
  readonly position: unknown;
  /** Increases with each write, so that only one writer can write. */
  readonly writes: number;
  readonly written: Date;
}

/** Returns the collections that a log follows, each with the fields whose former values it has. */
const fieldsIn = memoize(({ followed, recorded = [] }: LogState): FieldsOf => {
  const fields = new Map(recorded.map((one) => [one.collection, new Set(one.fields)]));
  return new Map(followed.map((collection) => [collection, fields.get(collection) ?? new Set()]));
});

/** Returns whether all fields of collections are among others. */
const isWithin = (fields: FieldsOf, others: FieldsOf): boolean =>
  [...fields].every(([name, names]) => {
    const other = others.get(name);
    return other !== undefined && [...names].every((one) => other.has(one));
  });

/** Returns whether a log follows collections, and has the former values of fields. */
const isFollowed = (state: LogState, collections: ReadonlySet<string>, fields: FieldsOf): boolean =>
  [...collections].every((name) => state.followed.includes(name)) && isWithin(fields, fieldsIn(state));

/** Returns the mark of a change, a number of 30 bits. */
const markOf = (token: string): number => createHash('sha256').update(token).digest().readUInt32BE(0) >>> 2;

const majority = { level: 'majority' } as const;

/** Returns the state of the log; null if there is none yet. */
async function readLogState(database: Database): Promise<LogState | null> {
  const command = { find: changeLog, filter: { _id: stateId }, limit: 1, batchSize: 1, readConcern: majority };
  const [state] = await readAll(database, command);
  return (state ?? null) as LogState | null; // written by `write-changes.ts`
}

/**
 * Returns the changes after a place of the log, in their order and at most `limit`. Returns null if the log does not continue that
 * place: its next change is no longer stored, or the log was lost since.
 */
async function changesAfter(
  database: Database,
  { seq, mark }: LogPlace,
  { state, limit }: { readonly state: LogState; readonly limit: number },
): Promise<readonly StoredChange[] | null> {
  if (seq === state.seq) return mark === state.mark ? [] : null;
  if (seq > state.seq) return null;
  const command = { find: changeLog, filter: { _id: { $gt: seq, $lte: state.seq } }, sort: { _id: 1 }, limit, batchSize: limit };
  const rows = await readAll(database, { ...command, readConcern: majority });
  const changes = rows as readonly StoredChange[]; // written by `write-changes.ts`
  return changes[0]?.before === mark && changes.every(({ _id }, index) => _id === seq + index + 1) ? changes : null;
}

/** Returns whether a change may matter to values that depend on some fields: only an update leaves other fields as they were. */
const touches = ({ kind, fields: changed }: Pick<Change, 'kind' | 'fields'>, fields: ReadonlySet<string>): boolean =>
  kind !== 'update' || changed === undefined || changed.some((name) => fields.has(name));

interface FormerStates {
  readonly ids: readonly unknown[];
  /** The fields that the states have, which the log records. */
  readonly fields: Iterable<string>;
  /** The number of the last change before them. */
  readonly after: number;
  readonly limit: number;
}

/** Returns the different states that documents of a collection had before changes, at most `limit`. */
async function formerStates(
  database: Database,
  collection: string,
  { ids, fields, after, limit }: FormerStates,
): Promise<readonly Pick<StoredChange, 'id' | 'former'>[]> {
  const $match = { collection, id: is.oneOf(ids), _id: { $gt: after }, former: { $exists: true } };
  const values = Object.fromEntries([...fields].map((name) => [name, `$former.${name}`]));
  const state = { id: '$id', former: { $cond: [{ $eq: ['$former', null] }, null, values] } };
  const pipeline = [{ $match }, { $group: { _id: state } }, { $limit: limit }, { $replaceRoot: { newRoot: '$_id' } }];
  const rows = await readAll(database, { aggregate: changeLog, pipeline, cursor: { batchSize: limit } });
  return rows as unknown as readonly StoredChange[]; // written by `write-changes.ts`
}

/**
 * Returns the place of a log in the order of all writes of the database: it contains all changes up to there. If none is logged for
 * long, the place is that of the stream, before which it reports nothing more; its token begins with the time.
 */
function positionOf({ time, position }: Pick<LogState, 'time' | 'position'>): bigint {
  const token = (position as { readonly _data?: string } | null)?._data ?? '';
  const [, hex] = /^82([0-9a-f]{16})/i.exec(token) ?? [];
  const before = hex === undefined ? 0n : BigInt(`0x${hex}`) - 1n;
  const last = time.toBigInt();
  return last > before ? last : before;
}

/** Returns a database whose reads see all that the log contained at a time. */
const seeingLog = (database: Database, { time }: Pick<LogState, 'time'>): Database => ({
  ...database,
  concern: { ...majority, afterClusterTime: time },
});

/**
 * Ends the epoch of the log, because the data were replaced: the writer begins another one, and clients load everything anew. Does
 * nothing if there is no log.
 */
async function endEpoch(database: Database): Promise<void> {
  const update = { $set: { position: null }, $inc: { writes: 1 } };
  await inWriteTime(database, () =>
    database.db.collection<{ _id: string; writes: number }>(changeLog).updateOne({ _id: stateId }, update),
  );
}

/** The log of changes that copies of clients are kept up to date by. */
export const syncLog = {
  fieldsIn,
  isWithin,
  follows: isFollowed,
  markOf,
  readState: readLogState,
  changesAfter,
  touches,
  formerStates,
  positionOf,
  seeing: seeingLog,
  endEpoch,
};
