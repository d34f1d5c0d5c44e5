import type { Database } from './database.js';
import type { IdAllocator } from './id-allocator.js';
import type { TotalCache } from './total-cache.js';

/** All that operations on content need of the back end. */
export interface Store {
  readonly database: Database;
  readonly ids: IdAllocator;
  readonly totals: TotalCache;
}
