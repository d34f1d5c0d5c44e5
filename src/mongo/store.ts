import { ChangeBus, TotalCache } from './changes.js';
import type { Database } from './database.js';
import { IdAllocator } from './id-allocator.js';

/** The parts of the back end that operations on content work with. */
export interface Store {
  readonly database: Database;
  readonly ids: IdAllocator;
  readonly changes: ChangeBus;
  readonly totals: TotalCache;
}

/** Returns a store that keeps nothing yet. */
export function createStore(database: Database): Store {
  const changes = new ChangeBus();
  return { database, ids: new IdAllocator(), changes, totals: new TotalCache(changes) };
}
