import type { UpdateFilter } from 'mongodb';
import { collections } from '../../schema/collections.js';
import { translating } from '../calls.js';
import type { Database } from '../database.js';
import { DuplicateKey } from '../driver-errors.js';
import { hasEnded } from '../../processes.js';

/** The process that runs an import. */
export interface Runner {
  /** Differs with every run. */
  readonly id: string;
  readonly host: string;
  readonly pid: number;
}

/** Examples of something that could not be imported, and how often it occurred. */
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
  /** Differs with every import, also of the same source. */
  readonly run: string;
  readonly state: 'running' | 'done';
  readonly stage: string;
  /** Records of the stage that are stored. */
  readonly position: number;
  /** The place of the last one; null if the source has no places. */
  readonly place: RecordPlace | null;
  /** Entries that are stored, by uid; `links` and `assets` besides. */
  readonly counts: readonly (readonly [name: string, count: number])[];
  /** The types that come, by uid. */
  readonly types: readonly string[];
  /** The content of the source when the import began: records by their stage, entries by uid. */
  readonly expected: readonly (readonly [name: string, count: number])[];
  /** By the kind of what could not be imported. */
  readonly shortcomings: readonly (readonly [reason: string, shortcoming: Shortcoming])[];
  readonly runner: Runner;
  readonly startedAt: Date;
  /** The last sign of life of the runner, by the clock of the server. */
  readonly aliveAt: Date;
}

/** An import that has not ended. */
export interface UnfinishedImport extends ImportState {
  /** Milliseconds since the last sign of life. */
  readonly silence: number;
}

const imports = ({ db }: Database) => db.collection<ImportState>(collections.imports);

/** Milliseconds between two signs of life, and without one until an import counts as dead. */
const pulse = 10_000;
const patience = 60_000;

/** Returns the import that has not ended; null if there is none. */
export async function findUnfinished(database: Database): Promise<UnfinishedImport | null> {
  const silence = { $subtract: ['$$NOW', '$aliveAt'] };
  const pipeline = [{ $match: { state: 'running' } }, { $limit: 1 }, { $set: { silence } }];
  const [found] = await translating(() => imports(database).aggregate<UnfinishedImport>(pipeline).toArray());
  return found ?? null;
}

/** Whether the process that runs an import may still be at work. A number of a process may have been given to another one. */
export function isAtWork({ runner, silence }: UnfinishedImport, self: Runner): boolean {
  return !hasEnded(runner, self) && silence < patience;
}

/** Returns the error for an import that another process runs. */
export const underWay = (source: string, { host, pid }: Runner): Error =>
  new Error(
    `an import of ${source} is under way in process ${String(pid)} on ${host}; ` +
      `without a sign of life it counts as dead after ${String(patience / 1000)} s`,
  );

/** Begins an import. Throws an Error if one is under way: there is at most one that has not ended. */
export async function beginImport(database: Database, state: ImportState): Promise<void> {
  const only = { unique: true, partialFilterExpression: { state: 'running' } };
  await translating(() => imports(database).createIndex({ state: 1 }, only));
  try {
    await translating(() => imports(database).replaceOne({ _id: state._id, state: 'done' }, state, { upsert: true }));
  } catch (error) {
    throw error instanceof DuplicateKey ? new Error('another import has just begun') : error;
  }
}

/** Takes over an import that was cut short, as it is then. Throws an Error if another process was quicker. */
export async function takeOver(database: Database, former: UnfinishedImport, runner: Runner): Promise<ImportState> {
  const update: UpdateFilter<ImportState> = { $set: { runner }, $currentDate: { aliveAt: true } };
  const found = await translating(() => imports(database).findOneAndUpdate(ownedBy(former), update, { returnDocument: 'after' }));
  if (found === null) throw new Error(`another process has just taken over the import of ${former.source}`);
  return found;
}

/** Nobody but the runner writes an import. */
const ownedBy = ({ _id, runner }: ImportState) => ({ _id, state: 'running' as const, 'runner.id': runner.id });

/** Stores how far an import is. Throws an Error if another process has taken it over: nothing more may be written then. */
export async function saveImport(database: Database, state: ImportState): Promise<void> {
  const { state: condition, stage, position, place, counts, shortcomings } = state;
  await updateOwn(database, state, { state: condition, stage, position, place, counts, shortcomings });
}

/** Throws an Error if another process has taken the import over. */
export const assertHeld = (database: Database, state: ImportState): Promise<void> => updateOwn(database, state, {});

async function updateOwn(database: Database, state: ImportState, values: Partial<ImportState>): Promise<void> {
  const update: UpdateFilter<ImportState> = { $set: values, $currentDate: { aliveAt: true } };
  const { matchedCount } = await translating(() => imports(database).updateOne(ownedBy(state), update));
  if (matchedCount === 0) throw new Error(`another process has taken over the import of ${state.source}, or given it up`);
}

/** Runs work, and stores signs of life meanwhile. */
export async function whileAlive<Result>(database: Database, state: ImportState, work: () => Promise<Result>): Promise<Result> {
  // A process that lost the import fails when it saves. A short outage of the server is ignored here.
  const beat = (): void => void assertHeld(database, state).catch(() => undefined);
  const timer = setInterval(beat, pulse);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/** Forgets an import that was taken over. */
export async function forgetImport(database: Database, state: ImportState): Promise<void> {
  await translating(() => imports(database).deleteOne(ownedBy(state)));
}
