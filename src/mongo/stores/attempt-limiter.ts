import { createRequire } from 'node:module';
import type { RateLimiterMongo, RateLimiterRes } from 'rate-limiter-flexible';
import type { Attempt } from '../../limits/attempts.js';
import { inWriteTime } from '../send/calls.js';
import type { Database } from '../send/database.js';
import { oneOf } from '../form/matches.js';

/** Counts attempts across all instances. */
export interface AttemptLimiter {
  /** Counts attempts under a key, one by default. */
  count(key: string, attempts?: number): Promise<Attempt>;
  /** Takes back one attempt of each key, by one command. Also keys of other limiters of the collection. */
  forgive(keys: readonly string[]): Promise<void>;
}

interface LimiterInput {
  /** Name of the collection that stores the counts. */
  readonly collection: string;
  /** Maximum number of attempts in one interval. */
  readonly max: number;
  /** Length of an interval in milliseconds. */
  readonly interval: number;
}

/** Imported from its own file, because the index of the package loads the limiters of all databases. */
const Limiter = createRequire(import.meta.url)('rate-limiter-flexible/lib/RateLimiterMongo.js') as typeof RateLimiterMongo; // typed by the index

/**
 * Returns a limiter that counts in MongoDB. Its methods reject with a 503 if the database does not answer in time, so that no
 * attempt goes uncounted.
 */
export function attemptLimiter(database: Database, { collection, max, interval }: LimiterInput): AttemptLimiter {
  const { db, client } = database;
  const limiter = new Limiter({
    storeClient: client,
    dbName: db.databaseName,
    tableName: collection,
    keyPrefix: '',
    points: max,
    duration: interval / 1000,
    // Created below: the library does not wait for its indexes, and without them concurrent attempts are counted separately.
    disableIndexesCreation: true,
  });
  const counts = db.collection(collection);
  let indexed: Promise<void> | null = null;
  const ensureIndexes = (): Promise<void> =>
    (indexed ??= createIndexes(limiter, () => counts.deleteMany({})).catch((error: unknown) => {
      indexed = null;
      throw error;
    }));
  return {
    count: async (key, attempts = 1) => {
      try {
        return attemptOf(
          await inWriteTime(database, () => ensureIndexes().then(() => limiter.consume(key, attempts))),
          max,
          'allowed',
        );
      } catch (refusal) {
        if (refusal instanceof Error) throw refusal;
        return attemptOf(refusal as RateLimiterRes, max, 'refused'); // the library rejects with this or with an Error
      }
    },
    forgive: async (keys) => {
      await inWriteTime(database, () => counts.updateMany({ key: oneOf(keys) }, { $inc: { points: -1 } }));
    },
  };
}

/**
 * Creates the indexes of a limiter. If counts that are older than the indexes contain duplicates, `clear` first deletes all
 * counts.
 */
async function createIndexes(limiter: Pick<RateLimiterMongo, 'createIndexes'>, clear: () => Promise<unknown>): Promise<void> {
  try {
    await limiter.createIndexes();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === duplicateKey)) throw error;
    await clear();
    await limiter.createIndexes();
  }
}

/** MongoDB's error code for a value that a unique index already contains. */
const duplicateKey = 11_000;

const attemptOf = (
  { remainingPoints, msBeforeNext }: RateLimiterRes,
  limit: number,
  verdict: 'allowed' | 'refused',
): Attempt => ({
  limit,
  remaining: Math.max(remainingPoints, 0),
  resetsAt: Math.ceil((Date.now() + msBeforeNext) / 1000),
  isOver: verdict === 'refused',
});
