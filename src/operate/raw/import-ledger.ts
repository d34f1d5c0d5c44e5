import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { UpdateFilter } from 'mongodb';
import { collections } from '#model/schema/collections.js';
import type { Database } from '#store/send/database.js';
import { DuplicateKey, translating } from '#store/send/driver-errors.js';
import { meanwhile } from '#base/limits/timers.js';
import { hasEnded } from '#base/processes.js';

/** The process that runs an import. */
interface Runner {
  /** An id of the run of the program. */
  readonly id: string;
  readonly host: string;
  readonly pid: number;
}

/** Returns the present process as one that begins to run an import. */
const newRunner = (): Runner => ({ id: randomUUID(), host: hostname(), pid: process.pid });

/** Something that could not be imported: how often it occurred, and examples. */
export interface Shortcoming {
  readonly count: number;
  /** The first ones: type, id and attribute. */
  readonly examples: readonly string[];
}

/** The place of a record in a source whose content may change: its row, and its number among the records of the row. */
export interface RecordPlace {
  readonly type: string;
  readonly id: string | number;
  readonly part: number;
}

/** The progress of an import: a document of `_imports`. */
export interface ImportState {
  /** The identity of the source. */
  readonly _id: string;
  readonly source: string;
  /** An id of the import, which is new for each import of the same source. */
  readonly run: string;
  readonly state: 'running' | 'done';
  readonly stage: string;
  /** What the restore of a backup does with documents that are stored; absent for an import. */
  readonly conflict?: string;
  /** Number of records of the stage that are stored. */
  readonly position: number;
  /** The place of the last stored record; null if the source has no places. */
  readonly place: RecordPlace | null;
  /** Numbers of stored entries by uid, and of `links` and `assets`. */
  readonly counts: readonly (readonly [name: string, count: number])[];
  /** The uids of the types that are imported. */
  readonly types: readonly string[];
  /** The content of the source at the beginning of the import: numbers of records by stage, and of entries by uid. */
  readonly expected: readonly (readonly [name: string, count: number])[];
  /** Records that could not be imported, by reason. */
  readonly shortcomings: readonly (readonly [reason: string, shortcoming: Shortcoming])[];
  /** The ids of administrators in the source, with those that they have here; absent before they are known. */
  readonly administrators?: readonly (readonly [source: number, id: number])[];
  readonly runner: Runner;
  readonly startedAt: Date;
  /** The last heartbeat of the runner, by the clock of the server. */
  readonly aliveAt: Date;
}

/** An import that has not ended. */
export interface UnfinishedImport extends ImportState {
  /** Milliseconds since the last heartbeat. */
  readonly silence: number;
}

const imports = ({ db }: Database) => db.collection<ImportState>(collections.imports);

/** Milliseconds between two heartbeats, and without a heartbeat until an import counts as dead. */
const pulse = 10_000;
const patience = 60_000;

/** Returns the import that has not ended; null if there is none. */
export async function findUnfinished(database: Database): Promise<UnfinishedImport | null> {
  const silence = { $subtract: ['$$NOW', '$aliveAt'] };
  const pipeline = [{ $match: { state: 'running' } }, { $limit: 1 }, { $set: { silence } }];
  const [found] = await translating(() => imports(database).aggregate<UnfinishedImport>(pipeline).toArray());
  return found ?? null;
}

/**
 * Throws an Error if the process that runs an import may still be running. The heartbeat is checked too, because the pid may have
 * been reused.
 */
export function assertInterrupted({ source, runner, silence }: UnfinishedImport): void {
  if (hasEnded(runner, newRunner()) || silence >= patience) return;
  throw new Error(
    `an import of ${source} is under way in process ${String(runner.pid)} on ${runner.host}; ` +
      `it counts as dead ${String(patience / 1000)} s after its last heartbeat`,
  );
}

type Beginning = Pick<ImportState, '_id' | 'source' | 'stage'> &
  Partial<Pick<ImportState, 'conflict' | 'types' | 'expected' | 'shortcomings'>>;

/** Begins an import, and returns its state. Throws an Error if another one has not ended. */
export async function beginImport(database: Database, beginning: Beginning): Promise<ImportState> {
  const none = { position: 0, place: null, counts: [], types: [], expected: [], shortcomings: [] };
  const now = { startedAt: new Date(), aliveAt: new Date() };
  const state: ImportState = { run: randomUUID(), state: 'running', ...none, ...beginning, runner: newRunner(), ...now };
  const only = { unique: true, partialFilterExpression: { state: 'running' } };
  await translating(() => imports(database).createIndex({ state: 1 }, only));
  try {
    await translating(() => imports(database).replaceOne({ _id: state._id, state: 'done' }, state, { upsert: true }));
  } catch (error) {
    throw error instanceof DuplicateKey ? new Error('another import has just begun') : error;
  }
  return state;
}

/**
 * Takes over an interrupted import, and returns its current state. With another `run` it begins anew, in other staging collections
 * than the former process. Throws an Error if another process was faster.
 */
export async function takeOver(database: Database, former: UnfinishedImport, run = former.run): Promise<ImportState> {
  const update: UpdateFilter<ImportState> = { $set: { runner: newRunner(), run }, $currentDate: { aliveAt: true } };
  const filter = { ...ownedBy(former), stage: former.stage };
  const state = await translating(() => imports(database).findOneAndUpdate(filter, update, { returnDocument: 'after' }));
  if (state === null) throw new Error(`another process has just taken over the import of ${former.source}`);
  return state;
}

/** Returns a filter for an import that its runner still holds. */
const ownedBy = ({ _id, runner }: ImportState) => ({ _id, state: 'running' as const, 'runner.id': runner.id });

/**
 * Stores the progress of an import. Throws an Error if another process has taken it over, so that nothing more may be written.
 */
export async function saveImport(database: Database, state: ImportState): Promise<void> {
  const { state: condition, stage, position, place, counts, shortcomings, administrators } = state;
  const known = administrators === undefined ? {} : { administrators };
  await updateOwn(database, state, { state: condition, stage, position, place, counts, shortcomings, ...known });
}

/** Throws an Error if another process has taken the import over. */
export const assertOwnership = (database: Database, state: ImportState): Promise<void> => updateOwn(database, state, {});

async function updateOwn(database: Database, state: ImportState, values: Partial<ImportState>): Promise<void> {
  const update: UpdateFilter<ImportState> = { $set: values, $currentDate: { aliveAt: true } };
  const { matchedCount } = await translating(() => imports(database).updateOne(ownedBy(state), update));
  if (matchedCount === 0) throw new Error(`another process has taken over the import of ${state.source}, or abandoned it`);
}

/** Runs work, and stores heartbeats meanwhile. */
export function whileAlive<Result>(database: Database, state: ImportState, work: () => Promise<Result>): Promise<Result> {
  // A process that lost the import fails when it saves. A short outage of the server is ignored here.
  const beat = (): void => void assertOwnership(database, state).catch(() => undefined);
  return meanwhile(pulse, beat, work);
}

/** Deletes the record of an import that this process holds. */
export async function forgetImport(database: Database, state: ImportState): Promise<void> {
  await translating(() => imports(database).deleteOne(ownedBy(state)));
}
