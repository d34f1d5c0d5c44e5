import type { Observer } from '#base/observe/observer.js';
import type { Database } from '#store/send/database.js';
import type { EngineIndex } from './engine.js';
import { loseIndexes, sendTo, type Step } from './feed-step.js';
import { FedByOtherError, readIndexes } from './index-rows.js';
import { indexOf } from './searched-types.js';

interface Reporting {
  readonly database: Database;
  readonly observer: Observer;
}

const observeLoss = (collection: string, { observer }: Pick<Reporting, 'observer'>): void => {
  const text = `the search engine has lost its index of ${collection}: MongoDB searches until a new one is complete`;
  observer.observe({ kind: 'warned', topic: 'database', text });
};

/** Ends the use of an index that the engine does not have any more, so that a new one is built. Does nothing if that was done before. */
export async function reportLostIndex({ collection, name }: EngineIndex, { database, observer }: Reporting): Promise<void> {
  const row = (await readIndexes(database)).indexes.get(collection);
  if (row?.index?.name !== name) return;
  try {
    await loseIndexes(row, { database });
  } catch (error) {
    if (error instanceof FedByOtherError) return; // the row has changed; the next search looks again
    throw error;
  }
  observeLoss(collection, { observer });
}

/** Ends the use of all indexes that the engine does not have any more. Returns whether there are any. */
export async function dropMissingIndexes(step: Step): Promise<boolean> {
  let isAnyLost = false;
  for (const row of step.indexState.indexes.values()) {
    const searched = step.types.get(row._id);
    const created = row.building?.after === null ? null : row.building;
    for (const one of [row.index, created]) {
      if (searched === undefined || one === null) continue;
      if (await sendTo(step, (engine, ends) => engine.isThere(indexOf(searched, one.name), ends))) continue;
      await loseIndexes(row, step);
      observeLoss(row._id, step.running.backend.jobs);
      isAnyLost = true;
      break;
    }
  }
  return isAnyLost;
}
