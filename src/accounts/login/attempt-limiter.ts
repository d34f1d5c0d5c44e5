import { createRequire } from 'node:module';
import type { RateLimiterMongo, RateLimiterRes } from 'rate-limiter-flexible';
import { inReadTime, inWriteTime } from '../../mongo/calls.js';
import type { Database } from '../../mongo/database.js';

/** The state of a limit after an attempt, for the X-RateLimit headers. */
export interface Attempt {
  readonly limit: number;
  readonly remaining: number;
  /** Seconds of Unix time at which counting starts again. */
  readonly resetsAt: number;
  readonly isOver: boolean;
}

/** Counts attempts, for all instances together. */
export interface AttemptLimiter {
  /** Counts one attempt under a key. */
  count(key: string): Promise<Attempt>;
  /** Returns the state that one more attempt would have, without counting it; null if none was counted in this interval. */
  find(key: string): Promise<Attempt | null>;
}

interface LimiterInput {
  /** The name of the collection of the counts. */
  readonly collection: string;
  /** Attempts in one interval. */
  readonly max: number;
  /** Milliseconds. */
  readonly interval: number;
}

/** This file alone: the index of the package loads the limiters of all databases. */
const Limiter = createRequire(import.meta.url)('rate-limiter-flexible/lib/RateLimiterMongo.js') as typeof RateLimiterMongo; // typed by the index

/** Returns a limiter that counts in MongoDB. Rejects with 503 if the database does not answer in time, so that every attempt is counted. */
export function attemptLimiter(database: Database, { collection, max, interval }: LimiterInput): AttemptLimiter {
  const { db, client } = database;
  const limiter = new Limiter({
    storeClient: client,
    dbName: db.databaseName,
    tableName: collection,
    keyPrefix: '',
    points: max,
    duration: interval / 1000,
    // The library would not wait for them, and attempts that come at once would be counted apart without them.
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
    count: async (key) => {
      try {
        return attemptOf(await inWriteTime(database, () => ensureIndexes().then(() => limiter.consume(key))), max, 'allowed');
      } catch (refusal) {
        if (refusal instanceof Error) throw refusal;
        return attemptOf(refusal as RateLimiterRes, max, 'refused'); // what the library rejects with unless it is an Error
      }
    },
    find: async (key) => {
      const found = await inReadTime(database, () => limiter.get(key));
      return found && attemptOf(found, max, found.remainingPoints > 0 ? 'allowed' : 'refused');
    },
  };
}

/** Creates the indexes of a limiter. If counts from before the indexes contain duplicates, `clear` deletes all of them first. */
async function createIndexes(limiter: Pick<RateLimiterMongo, 'createIndexes'>, clear: () => Promise<unknown>): Promise<void> {
  try {
    await limiter.createIndexes();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === duplicateKey)) throw error;
    await clear();
    await limiter.createIndexes();
  }
}

/** The code of MongoDB for a value that a unique index contains already. */
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
