import type { ContentType } from '../../schema/content-type.js';
import { type Database } from '../send/database.js';
import { readAll } from '../send/read-commands.js';
import { ownIndexes } from '../read/plan-indexes.js';

/** The usage of an index: how many reads have used it since it was built or the server was started. */
interface IndexUse {
  readonly name: string;
  readonly spec?: { readonly unique?: boolean };
  readonly accesses: { readonly ops: number | bigint; readonly since: Date };
}

/** Milliseconds after which an index without a use counts as unused. */
const patience = 30 * 86_400_000;

/**
 * Returns the indexes of a type that no read has used for a month. Unique indexes are left out, because they are needed without
 * reads. Returns none if the user of the connection lacks the role `clusterMonitor`, and behind mongos, where each shard has its
 * own statistics.
 */
export async function findUnused({ collection }: ContentType, database: Database, now = Date.now()): Promise<readonly string[]> {
  if (database.isSharded) return [];
  const uses = await readAll(database, { aggregate: collection, pipeline: [{ $indexStats: {} }], cursor: {} }).catch(() => []);
  return unusedAmong(uses as unknown as readonly IndexUse[], now); // the form of this stage
}

/** Returns the names of unused indexes. `now` is the current time in milliseconds. */
export const unusedAmong = (uses: readonly IndexUse[], now: number): readonly string[] =>
  uses
    .filter(({ name, spec, accesses: { ops, since } }) => {
      const isOwn = name.startsWith(ownIndexes) && spec?.unique !== true;
      return isOwn && Number(ops) === 0 && now - since.getTime() > patience;
    })
    .map(({ name }) => name);
