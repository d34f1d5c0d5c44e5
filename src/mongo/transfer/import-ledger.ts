import type { UpdateFilter } from 'mongodb';
import { isAlive } from '../stores/claim.js';
import { type Database, translating } from '../database.js';

/** Who runs an import. */
interface Runner {
  readonly host: string;
  readonly pid: number;
}

/** Examples of something that could not be brought, and how often it occurred. */
export interface Shortcoming {
  readonly count: number;
  /** The first ones: type, id and attribute. */
  readonly examples: readonly string[];
}

/** How far an import is: a document of `_imports`. */
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
  /** Entries that are stored, by uid; `links` and `assets` besides. */
  readonly counts: readonly (readonly [name: string, count: number])[];
  /** By what could not be brought. */
  readonly shortcomings: readonly (readonly [reason: string, shortcoming: Shortcoming])[];
  readonly runner: Runner;
  readonly startedAt: Date;
  readonly aliveAt: Date;
}

const imports = ({ db }: Database) => db.collection<ImportState>('_imports');

/** Milliseconds after which an import on another machine counts as dead. */
const patience = 60_000;

/** Returns the state of the import that has not ended; null if there is none. */
export const findUnfinished = (database: Database): Promise<ImportState | null> =>
  translating(() => imports(database).findOne({ state: 'running' }));

/** Whether the process that runs an import may still be at work. */
export function isAtWork({ runner, aliveAt }: ImportState, self: Runner): boolean {
  if (runner.host === self.host) return runner.pid !== self.pid && isAlive(runner.pid);
  return Date.now() - aliveAt.getTime() < patience;
}

/** Begins an import, or takes over one that was cut short. */
export async function beginImport(database: Database, state: ImportState): Promise<void> {
  await translating(() => imports(database).replaceOne({ _id: state._id }, state, { upsert: true }));
}

/** Stores how far an import is. */
export async function saveImport(database: Database, { _id, ...state }: ImportState): Promise<void> {
  const update: UpdateFilter<ImportState> = { $set: { ...state, aliveAt: new Date() } };
  await translating(() => imports(database).updateOne({ _id }, update));
}

/** Forgets an import. */
export async function forgetImport(database: Database, id: string): Promise<void> {
  await translating(() => imports(database).deleteOne({ _id: id }));
}
