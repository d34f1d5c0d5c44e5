import { oncePer } from '#base/caches.js';
import type { Attempt } from '#base/limits/attempts.js';
import { inWriteTime } from '../send/calls.js';
import { commented, commentIn, type Database } from '../send/database.js';
import { is } from '../form/matches.js';

/** Counts attempts across all instances. */
export interface AttemptLimiter {
  /** Counts attempts under a key, one by default, by one command, whose comment is the id of the request. */
  count(key: string, attempts?: number, requestId?: string): Promise<Attempt>;
  /** Takes back one attempt of each key, by one command. Also keys of other limiters of the collection. */
  forgive(keys: readonly string[], requestId?: string): Promise<void>;
}

interface LimiterInput {
  /** Name of the collection that stores the counts. */
  readonly collection: string;
  /** Maximum number of attempts in one interval. */
  readonly max: number;
  /** Length of an interval in milliseconds. */
  readonly interval: number;
}

/** The attempts under a key since its interval has begun. */
interface Count {
  readonly key: string;
  readonly points: number;
  /** When the interval ends. */
  readonly expire: Date;
}

const countsOf = ({ db }: Database, collection: string) => db.collection<Count>(collection);

/**
 * Returns a limiter that counts in MongoDB. Its methods reject with a 503 if the database does not answer in time, so that no
 * attempt goes uncounted.
 */
export function attemptLimiter(database: Database, { collection, max, interval }: LimiterInput): AttemptLimiter {
  const indexed = oncePer<Database['db']>();
  const ensureIndexes = () => indexed(database.db, () => createIndexes(database, collection));
  return {
    count: async (key, attempts = 1, requestId) => {
      const own = commented(database, requestId);
      const counted = await inWriteTime(own, () => ensureIndexes().then(() => add(own, { collection, key, attempts, interval })));
      return attemptOf(counted, max);
    },
    forgive: async (keys, requestId) => {
      const own = commented(database, requestId);
      const back = { $inc: { points: -1 } };
      await inWriteTime(own, () => countsOf(own, collection).updateMany({ key: is.oneOf(keys) }, back, commentIn(own)));
    },
  };
}

interface Addition {
  readonly collection: string;
  readonly key: string;
  readonly attempts: number;
  readonly interval: number;
}

/** Adds attempts to the count of a key, or begins a new interval if the last one is over. Returns the count. */
async function add(database: Database, { collection, key, attempts, interval }: Addition): Promise<Count> {
  const now = Date.now();
  const isOpen = { $gt: ['$expire', new Date(now)] };
  const points = { $cond: [isOpen, { $add: ['$points', attempts] }, attempts] };
  const expire = { $cond: [isOpen, '$expire', new Date(now + interval)] };
  const options = { upsert: true, returnDocument: 'after', ...commentIn(database) } as const;
  const update = () => countsOf(database, collection).findOneAndUpdate({ key }, [{ $set: { points, expire } }], options);
  // of two first attempts at the same time, one finds the count of the other
  const counted = await update().catch((error: unknown) => {
    if (!isDuplicate(error)) throw error;
    return update();
  });
  if (counted === null) throw new Error('an upsert returns its document');
  return counted;
}

const isDuplicate = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === duplicateKey;

/**
 * Creates the indexes of a limiter, without which concurrent attempts are counted separately. If counts that are older than the
 * indexes contain duplicates, first deletes all counts.
 */
async function createIndexes(database: Database, collection: string): Promise<void> {
  const counts = countsOf(database, collection);
  const create = async (): Promise<void> => {
    await counts.createIndex({ expire: -1 }, { expireAfterSeconds: 0 });
    await counts.createIndex({ key: 1 }, { unique: true });
  };
  await create().catch(async (error: unknown) => {
    if (!isDuplicate(error)) throw error;
    await counts.deleteMany({});
    await create();
  });
}

/** MongoDB's error code for a value that a unique index already contains. */
const duplicateKey = 11_000;

const attemptOf = ({ points, expire }: Count, limit: number): Attempt => ({
  limit,
  remaining: Math.max(limit - points, 0),
  resetsAt: Math.ceil(expire.getTime() / 1000),
  isOver: points > limit,
});
