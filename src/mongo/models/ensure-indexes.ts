import { MongoServerError, type Db, type IndexDescriptionInfo } from 'mongodb';
import type { ContentType, Registry } from '../../schema/content-type.js';
import { type Database, readAll } from '../database.js';
import { ownIndexes, planIndexes, type IndexPlan } from '../read/plan-indexes.js';

/** A line for each index that could not be built. */
export type IndexProblems = readonly string[];

/**
 * Brings the indexes of a content type's collection in line with its model. Returns a line for each index that could not be
 * built.
 */
export const ensureIndexes = async (db: Db, type: ContentType, registry: Registry): Promise<IndexProblems> =>
  buildIndexes(db, type.collection, (await removeStaleIndexes(db, type, registry)).missing);

/** The indexes of a model that do not exist. */
export interface MissingIndexes {
  readonly missing: readonly IndexPlan[];
  /** Whether the collection does not exist either. */
  readonly isNew: boolean;
}

/**
 * Drops the indexes of a former model, which would needlessly refuse or slow down writes. Indexes that others have made stay.
 * Returns the missing indexes.
 */
export async function removeStaleIndexes(db: Db, type: ContentType, registry: Registry): Promise<MissingIndexes> {
  const plans = planIndexes(type, registry);
  const present = await listIndexes(db, type.collection);
  const wanted = new Set(plans.map(({ name }) => name));
  const stale = present.filter(({ name = '' }) => name.startsWith(ownIndexes) && !wanted.has(name));
  const names = new Set(present.map(({ name }) => name));
  await Promise.all(
    stale.map(({ name = '' }) =>
      db
        .collection(type.collection)
        .dropIndex(name)
        .catch(() => undefined),
    ),
  );
  return { missing: plans.filter(({ name }) => !names.has(name)), isNew: present.length === 0 };
}

/** Returns the indexes of a collection; none if there is no such collection. */
export async function listIndexes(db: Db, collection: string): Promise<IndexDescriptionInfo[]> {
  try {
    return await db.collection(collection).indexes();
  } catch (error) {
    if (error instanceof MongoServerError && error.codeName === 'NamespaceNotFound') return [];
    throw error;
  }
}

/**
 * Builds indexes by one command, which is one pass over the collection. If that fails, builds them one by one, to find out which
 * fail.
 */
export async function buildIndexes(db: Db, collection: string, plans: readonly IndexPlan[]): Promise<IndexProblems> {
  if (plans.length === 0) return [];
  const specifications = plans.map(({ name, key, options }) => ({ name, key: { ...key }, ...options }));
  try {
    await db.collection(collection).createIndexes(specifications);
    return [];
  } catch {
    const results = await Promise.allSettled(
      specifications.map((specification) => db.collection(collection).createIndexes([specification])),
    );
    return results.flatMap((result, index) =>
      result.status === 'rejected' ? [describe(specifications[index]?.name, result.reason)] : [],
    );
  }
}

function describe(name: string | undefined, reason: unknown): string {
  const isDuplicate = reason instanceof MongoServerError && reason.code === 11000;
  const why = isDuplicate ? 'stored entries share a value' : reason instanceof Error ? reason.message : String(reason);
  return `index ${name ?? ''} could not be built: ${why}`;
}

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
