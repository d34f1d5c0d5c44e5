import { messageOf } from '#base/errors.js';
import { waited } from '#base/limits/timers.js';
import type { RunningService } from '#http/running.js';
import { forJob } from '#store/send/database.js';
import { syncLog } from '#store/stores/change-log.js';
import { buildIndexes } from './build-indexes.js';
import type { EngineIndex, SearchEngine } from './engine.js';
import { loseIndexes, sendTo, type Step } from './feed-step.js';
import { followLog } from './follow-log.js';
import { FedByOtherError, readIndexes, removeIndex, storeIndex } from './index-rows.js';
import { dropMissingIndexes } from './lost-indexes.js';
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
  /** The names of unused indexes that the engine has not dropped since then. */
  readonly #undropped = new Set<string>();

  constructor(running: RunningService, engine: SearchEngine, settings: SearchSettings) {
    this.#parts = { running, engine, settings, database: forJob(running.backend.store.database, feedJob) };
  }

  /** Feeds until the signal aborts. Throws if the engine or the database fails; the next call continues where this one was. */
  async run(signal: AbortSignal): Promise<void> {
    this.#hasIndexes = false;
    this.#undropped.clear();
    while (!signal.aborted) {
      const hasWorked = await this.step(signal).catch((error: unknown) => {
        if (error instanceof FedByOtherError) return false; // or a rebuild was asked for
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
    const step = { ...this.#parts, log, types, indexState: await readIndexes(database), signal };
    if (!this.#hasIndexes && (await dropMissingIndexes(step))) return true;
    this.#hasIndexes = true;
    if (await tidy(step, this.#undropped)) return true;
    const followed = log === null ? 'nothing' : await followLog(step, log);
    return followed === 'reset' || (await buildIndexes(step)) || followed === 'sent';
  }
}

/** Drops an index that is not needed any more. Returns false if there is none besides those that the engine does not drop. */
async function tidy(step: Step, undropped: Set<string>): Promise<boolean> {
  const { indexState, types, database } = step;
  for (const row of indexState.indexes.values()) {
    const name = row.unused.find((one) => !undropped.has(one));
    const isSearched = types.has(row._id);
    if (!isSearched && (row.index ?? row.building) !== null) await loseIndexes(row, step);
    else if (name !== undefined) {
      if (await drop({ name, collection: row._id, attributes: [] }, step))
        await storeIndex(database, row, { unused: row.unused.filter((one) => one !== name) });
      else undropped.add(name);
    } else if (!isSearched && row.unused.length === 0) await removeIndex(database, row);
    else continue;
    return true;
  }
  return false;
}

/** Drops an index, and returns whether the engine has done so. A failure is reported, since nothing else depends on it. */
async function drop(index: EngineIndex, step: Step): Promise<boolean> {
  try {
    await sendTo(step, (engine, ends) => engine.drop(index, ends));
    return true;
  } catch (error) {
    step.signal.throwIfAborted();
    const text = `${step.engine.name} has not dropped the unused index ${index.name}, which is tried again later: ${messageOf(error)}`;
    step.running.backend.jobs.observer.observe({ kind: 'warned', topic: 'database', text });
    return false;
  }
}
