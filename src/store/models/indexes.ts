import { type Db, type IndexDescriptionInfo, MongoServerError } from 'mongodb';
import type { ContentType, Registry } from '#model/schema/content-type.js';
import { type IndexPlan, keepsUnique, ownIndexes, planIndexes } from '../read/plan-indexes.js';
import type { Database } from '../send/database.js';
import { messageOf } from '#base/errors.js';
import { suggest } from '#base/nearest-name.js';
import { translating } from '../send/driver-errors.js';
import { readAll } from '../send/read-commands.js';
import { type IndexKey, readIndexKey } from './index-key.js';

/** A line for each index that could not be built. */
export type IndexProblems = readonly string[];

/**
 * Brings the indexes of a content type's collection in line with its model. Returns a line for each index that could not be
 * built.
 */
export async function ensureIndexes(db: Db, type: ContentType, registry: Registry): Promise<IndexProblems> {
  const { missing, stale } = await compareIndexes(db, type, registry);
  await dropIndexes(db, type.collection, stale);
  return buildIndexes(db, type.collection, missing);
}

/** How the indexes of a collection differ from those of its model. */
export interface IndexDifferences {
  readonly missing: readonly IndexPlan[];
  /**
   * The names of those of a former model, which needlessly refuse or slow down writes. Indexes that others have made are not among
   * them.
   */
  readonly stale: readonly string[];
  /** Whether the collection does not exist. */
  readonly isNew: boolean;
}

/** Compares the indexes of a content type's collection with those of its model. */
export async function compareIndexes(db: Db, type: ContentType, registry: Registry): Promise<IndexDifferences> {
  const plans = planIndexes(type, registry);
  const present = (await listIndexes(db, type.collection)).map(({ name = '' }) => name);
  const [wanted, names] = [new Set(plans.map(({ name }) => name)), new Set(present)];
  return {
    missing: plans.filter(({ name }) => !names.has(name)),
    stale: present.filter((name) => name.startsWith(ownIndexes) && !wanted.has(name)),
    isNew: present.length === 0,
  };
}

/** An index that a model needs, and that its collection lacks. */
export interface MissingIndex {
  readonly uid: string;
  readonly name: string;
  readonly isUnique: boolean;
}

/** Returns the missing indexes of all collections that exist, also those that are being built. */
export async function findMissingIndexes(registry: Registry, { db }: Database): Promise<readonly MissingIndex[]> {
  const types = [...registry.types.values()].filter(({ kind }) => kind !== 'component');
  const missingIndexes = await Promise.all(
    types.map(async (type): Promise<readonly MissingIndex[]> => {
      const { missing, isNew } = await compareIndexes(db, type, registry);
      return (isNew ? [] : missing).map((plan) => ({ uid: type.uid, name: plan.name, isUnique: keepsUnique(plan) }));
    }),
  );
  return missingIndexes.flat();
}

/** Drops indexes. Those that another instance has dropped meanwhile are left out. */
export async function dropIndexes(db: Db, collection: string, names: readonly string[]): Promise<void> {
  const drop = (name: string): Promise<unknown> =>
    db
      .collection(collection)
      .dropIndex(name)
      .catch(() => undefined);
  await Promise.all(names.map(drop));
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
  const why = isDuplicate ? 'stored entries share a value' : messageOf(reason);
  return `index ${name ?? ''} could not be built: ${why}`;
}

/** The prefix of the names of indexes that operators make by a command. Models neither need nor drop them. */
const ofOperator = 'operator_';

/**
 * Creates an index, and resolves when it is built. The server builds it while it answers reads and writes. Returns its name, and
 * whether an index with the key was there already.
 */
async function createOperatorIndex(
  { collection }: ContentType,
  key: IndexKey,
  database: Database,
): Promise<{ readonly name: string; readonly isNew: boolean }> {
  const present = (await listIndexes(database.db, collection)).find((index) => isPlain(index) && hasKey(index, key));
  if (present?.name !== undefined) return { name: present.name, isNew: false };
  const name =
    ofOperator +
    Object.entries(key)
      .map(([path, order]) => (order === 1 ? path : `${path}-`))
      .join('_');
  await translating(() => database.db.collection(collection).createIndex({ ...key }, { name }));
  return { name, isNew: true };
}

const isPlain = ({ partialFilterExpression, sparse, hidden, collation }: IndexDescriptionInfo): boolean =>
  partialFilterExpression === undefined && sparse !== true && hidden !== true && collation === undefined;

const hasKey = (index: IndexDescriptionInfo, key: IndexKey): boolean =>
  JSON.stringify(Object.entries(index.key)) === JSON.stringify(Object.entries(key));

/** Drops an index that an operator has made by a command. Throws an Error for any other. */
async function dropOperatorIndex({ uid, collection }: ContentType, name: string, database: Database): Promise<void> {
  const names = (await listIndexes(database.db, collection)).map((index) => index.name ?? '');
  if (name.startsWith(ownIndexes)) throw new Error(`${name} belongs to the model: change its attribute instead`);
  const own = names.filter((one) => one.startsWith(ofOperator));
  if (!own.includes(name)) throw new Error(`${uid} has no index ${name} of an operator${suggest(name, own)}`);
  await translating(() => database.db.collection(collection).dropIndex(name));
}

/** An index as it is listed. `uses` is null if the user of the connection may not read it. */
interface ListedIndex {
  readonly name: string;
  readonly key: string;
  readonly bytes: number;
  readonly uses: number | null;
}

/** Returns the indexes of a type; none if it has no collection yet. */
async function listTypeIndexes({ collection }: ContentType, database: Database): Promise<readonly ListedIndex[]> {
  const read = (stage: object) => readAll(database, { aggregate: collection, pipeline: [stage] }).catch(() => []);
  const [indexes, stats, uses] = await Promise.all([
    listIndexes(database.db, collection),
    read({ $collStats: { storageStats: {} } }),
    read({ $indexStats: {} }),
  ]);
  return indexes.map(({ name = '', key }) => {
    const sizes = stats.map(({ storageStats }) =>
      Number((storageStats as { indexSizes?: Record<string, number> }).indexSizes?.[name] ?? 0),
    ); // its form
    const own = uses.filter((one) => one['name'] === name).map(({ accesses }) => Number((accesses as { ops: unknown }).ops)); // its form
    return {
      name,
      key: Object.entries(key)
        .map(([path, order]) => (order === 1 ? path : `${path}:${String(order)}`))
        .join(' '),
      bytes: sizes.reduce((total, size) => total + size, 0),
      uses: own.length === 0 ? null : own.reduce((total, count) => total + count, 0),
    };
  });
}

/** The indexes that operators make by a command. */
export const operatorIndexes = {
  readKey: readIndexKey,
  create: createOperatorIndex,
  drop: dropOperatorIndex,
  list: listTypeIndexes,
};
