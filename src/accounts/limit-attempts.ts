import { RateLimiterMongo, type RateLimiterRes } from 'rate-limiter-flexible';
import { rateLimitError } from '../errors.js';
import type { Database } from '../mongo/database.js';

/** Where an attempt stands, for the X-RateLimit headers. */
export interface Attempt {
  readonly limit: number;
  readonly remaining: number;
  /** Seconds of Unix time at which counting starts anew. */
  readonly resetsAt: number;
  readonly isOver: boolean;
}

/** Counts attempts, for all instances together. */
export interface AttemptLimiter {
  /** Counts one attempt under a key. */
  count(key: string): Promise<Attempt>;
}

export interface LimiterInput {
  /** Of the collection that the counts are kept in. */
  readonly collection: string;
  /** Attempts in one interval. */
  readonly max: number;
  /** Milliseconds. */
  readonly interval: number;
}

/** A limiter whose counts are in MongoDB. Rejects where the database does not answer: no attempt goes uncounted. */
export function attemptLimiter({ db, client }: Database, { collection, max, interval }: LimiterInput): AttemptLimiter {
  const limiter = new RateLimiterMongo({
    storeClient: client,
    dbName: db.databaseName,
    tableName: collection,
    keyPrefix: '',
    points: max,
    duration: interval / 1000,
  });
  return {
    count: async (key) => {
      try {
        return attemptOf(await limiter.consume(key), max, 'allowed');
      } catch (refusal) {
        if (refusal instanceof Error) throw refusal;
        return attemptOf(refusal as RateLimiterRes, max, 'refused'); // what the library rejects with unless it is an Error
      }
    },
  };
}

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

/** The name of a route as it is counted; not its path, which can be spelt in many ways. */
export type LimitedRoute =
  'login' | 'register' | 'forgot-password' | 'reset-password' | 'change-password' | 'connect' | 'refresh';

/** Routes whose body has an e-mail address of its own; elsewhere clients could vary one to escape (rest.md 11.3). */
const withAddress: ReadonlySet<LimitedRoute> = new Set(['register', 'forgot-password']);

/** The key of an attempt: the address that the body names, where the route has one, the route, and where the attempt comes from. */
export function attemptKey(route: LimitedRoute, body: Readonly<Record<string, unknown>>, ip: string): string {
  const { email } = body;
  const address = withAddress.has(route) && typeof email === 'string' ? email.toLowerCase().slice(0, 320) : '-';
  return `${address}:${route}:${ip}`;
}

/** Counts an attempt. Throws a RateLimitError where there were too many. */
export async function countAttempt(limiter: AttemptLimiter, key: string): Promise<Attempt> {
  const attempt = await limiter.count(key);
  if (attempt.isOver) throw rateLimitError();
  return attempt;
}
