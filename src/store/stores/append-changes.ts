import { MongoServerError, type Timestamp } from 'mongodb';
import { changeLog } from '#model/schema/collections.js';
import { inWriteTime } from '../send/calls.js';
import { type Database, inScope } from '../send/database.js';
import { ensureCollections } from '../send/ensure-collections.js';
import { inTransaction } from '../send/transaction.js';
import { type Change, type FieldsOf, type LogState, stateId, type StoredChange, syncLog } from './change-log.js';

/** Creates the collection with its indexes, and applies the retention. */
export async function prepareLog(database: Database, retention: number): Promise<void> {
  const { db } = database;
  await ensureCollections([changeLog], database);
  const kept = { expireAfterSeconds: retention };
  const indexes = [
    { key: { token: 1 }, name: 'token_1', unique: true },
    { key: { collection: 1, id: 1 }, name: 'former_1', partialFilterExpression: { former: { $exists: true } } },
  ];
  await inWriteTime(database, () => db.command({ createIndexes: changeLog, indexes }));
  const expiring = [{ key: { at: 1 }, name: 'at_1', ...kept }];
  await inWriteTime(database, () => db.command({ createIndexes: changeLog, indexes: expiring })).catch(async (error: unknown) => {
    if (!(error instanceof MongoServerError && error.codeName === 'IndexOptionsConflict')) throw error;
    await inWriteTime(database, () => db.command({ collMod: changeLog, index: { name: 'at_1', ...kept } }));
  });
}

interface Appending {
  readonly database: Database;
  readonly before: LogState | null;
  readonly followed: FieldsOf;
}

/**
 * Appends changes to the log, and stores its state, in one transaction. Throws if another writer has written since the state was
 * read. Returns the new state.
 */
export async function appendChanges(
  { database, before, followed }: Appending,
  changes: readonly Change[],
  { position, epoch = before?.epoch ?? '' }: { readonly position: unknown; readonly epoch?: string },
): Promise<LogState> {
  const at = new Date();
  const continued = before?.epoch === epoch ? before : null;
  let seq = continued?.seq ?? Math.max(before?.seq ?? 0, await lastSeq(database));
  let mark = continued?.mark ?? null;
  const rows = changes.map((change): StoredChange => {
    const row = { _id: (seq += 1), before: mark, ...change, at };
    mark = syncLog.markOf(change.token);
    return row;
  });
  const time = changes.reduce<Timestamp | null>(
    (last, { time: own }) => (last?.gt(own) === true ? last : own),
    continued?.time ?? null,
  );
  const state = {
    _id: stateId,
    seq,
    mark,
    epoch,
    time,
    followed: [...followed.keys()],
    recorded: [...followed].map(([collection, fields]) => ({ collection, fields: [...fields] })),
    position,
    writes: (before?.writes ?? 0) + 1,
    written: at,
  } as LogState; // an epoch begins with a change
  await inTransaction(database, async (inner) => {
    await replaceState(inner, before, state);
    if (rows.length > 0) await logOf(inner).insertMany([...rows], inScope(inner));
  });
  return state;
}

const logOf = ({ db }: Database) => db.collection<StoredChange | LogState>(changeLog);

/** Stores the state of the log. Throws if it is not the expected one any more. */
async function replaceState(database: Database, before: LogState | null, state: LogState): Promise<void> {
  const options = inScope(database);
  if (before === null) {
    await logOf(database).insertOne(state, options);
    return;
  }
  const { matchedCount } = await logOf(database).replaceOne({ _id: stateId, writes: before.writes }, state, options);
  if (matchedCount === 0) throw new Error('another instance has written the change log');
}

/** Returns the greatest number in a log whose state was lost; 0 if it is empty. */
async function lastSeq({ db }: Database): Promise<number> {
  const [last] = await db
    .collection(changeLog)
    .find({ token: { $gt: '' } }, { projection: { _id: 1 } })
    .sort({ _id: -1 })
    .limit(1)
    .toArray();
  return Number(last?._id ?? 0);
}
