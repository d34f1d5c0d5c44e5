import { endedBy, ifLonger } from '#base/limits/timers.js';
import type { Database } from '#store/send/database.js';
import type { SearchEngine } from './engine.js';
import { type IndexState, storeIndex, type StoredIndex } from './index-rows.js';
import type { Reading } from './read-entries.js';
import type { SearchedType } from './searched-types.js';
import type { SearchSettings } from './settings.js';

/** What a step of feeding an engine works with. */
export interface Step extends Reading {
  readonly engine: SearchEngine;
  readonly settings: SearchSettings;
  readonly database: Database;
  /** The types that are searched, by collection. */
  readonly types: ReadonlyMap<string, SearchedType>;
  readonly indexState: IndexState;
  /** Aborts when this instance may feed the engine no longer. */
  readonly signal: AbortSignal;
}

/** Maximum number of entries that are sent at once. */
export const mostEntries = 200;

/** Milliseconds that the engine may take for a write. */
const longestWrite = 60_000;

/** Sends a request to the engine, which ends if this instance may feed it no longer, or it takes too long. */
export function sendTo<Result>(
  { engine, signal }: Pick<Step, 'engine' | 'signal'>,
  send: (engine: SearchEngine, ends: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const ends = new AbortController();
  const end = (): void => {
    ends.abort(new Error(`${engine.name} has taken too long for a write, or another instance writes to it now`));
  };
  return ifLonger(longestWrite, end, () => endedBy([signal], end, () => send(engine, ends.signal)));
}

/** Ends the use of the indexes of a collection, because changes may be missing in them. They are dropped, and new ones are built. */
export function loseIndexes(row: StoredIndex, { database }: Pick<Step, 'database'>): Promise<void> {
  const names = [row.index, row.building].flatMap((one) => one?.name ?? []);
  return storeIndex(database, row, { index: null, building: null, unused: [...row.unused, ...names] });
}
