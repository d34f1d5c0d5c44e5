import { waited } from '#base/limits/timers.js';
import type { Running } from '#http/running.js';
import { forJob } from '#store/send/database.js';
import { syncLog } from '#store/stores/change-log.js';
import { buildIndexes } from './build-indexes.js';
import type { SearchEngine } from './engine.js';
import { loseIndexes, sendTo, type Step } from './feed-step.js';
import { followLog } from './follow-log.js';
import { FedByOther, readIndexes, removeIndex, storeIndex } from './index-rows.js';
import { loseMissing } from './lost-indexes.js';
import { searchedTypes } from './searched-types.js';
import type { SearchSettings } from './settings.js';

/** The name of the job that feeds the engine, and of its lease. */
export const feedJob = 'search feed';

/** Milliseconds between two looks at the log when there was nothing to do. */
const pace = 500;

/**
 * Keeps the indexes of an engine like the entries. An entry is read after its change is in the log and before the place in the log is
 * stored, and is sent as it is then, so that sending it again changes nothing. One instance at a time does this.
 */
export class Feeder {
  readonly #parts: Pick<Step, 'running' | 'engine' | 'settings' | 'database'>;
  /** Whether the engine has had all indexes since `run` was called, which is so for each lease and after each failure. */
  #hasIndexes = false;

  constructor(running: Running, engine: SearchEngine, settings: SearchSettings) {
    this.#parts = { running, engine, settings, database: forJob(running.backend.store.database, feedJob) };
  }

  /** Feeds until the signal aborts. Throws if the engine or the database fails; the next call continues where this one was. */
  async run(signal: AbortSignal): Promise<void> {
    this.#hasIndexes = false;
    while (!signal.aborted) {
      const hasWorked = await this.step(signal).catch((error: unknown) => {
        if (error instanceof FedByOther) return false; // or a rebuild was asked for
        throw error;
      });
      if (!hasWorked) await waited(pace, signal, { ref: false });
    }
  }

  /** Does the next piece of work. Returns false if there is none. */
  async step(signal: AbortSignal): Promise<boolean> {
    const { running, engine, settings, database } = this.#parts;
    const types = searchedTypes(running.backend.models.snapshot.registry, settings);
    const log = engine.isFed ? await syncLog.readState(database) : null;
    if (engine.isFed && (log === null || !syncLog.follows(log, new Set(types.keys()), new Map()))) return false;
    const step = { ...this.#parts, log, types, known: await readIndexes(database), signal };
    if (!this.#hasIndexes && (await loseMissing(step))) return true;
    this.#hasIndexes = true;
    if (await tidy(step)) return true;
    const followed = log === null ? 'nothing' : await followLog(step, log);
    return followed === 'reset' || (await buildIndexes(step)) || followed === 'sent';
  }
}

/** Drops an index that is not needed any more. Returns false if there is none. */
async function tidy(step: Step): Promise<boolean> {
  const { known, types, database } = step;
  for (const row of known.indexes.values()) {
    const [name, ...unused] = row.unused;
    const isSearched = types.has(row._id);
    if (!isSearched && (row.index ?? row.building) !== null) await loseIndexes(row, step);
    else if (name !== undefined) {
      await sendTo(step, (engine, ends) => engine.drop({ name, collection: row._id, attributes: [] }, ends));
      await storeIndex(database, row, { unused });
    } else if (!isSearched) await removeIndex(database, row);
    else continue;
    return true;
  }
  return false;
}
