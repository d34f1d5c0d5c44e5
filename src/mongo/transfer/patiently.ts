import { setTimeout as delay } from 'node:timers/promises';
import { MongoServerSelectionError } from 'mongodb';
import { translating } from '../send/calls.js';
import { isInterrupted } from '../send/driver-errors.js';

/** Milliseconds for which the database may be away. */
export const patience = 60_000;

/** Milliseconds between two attempts. */
const pause = 200;

/** Returns whether the database was away when a command failed. */
export const isAway = (error: unknown): boolean => isInterrupted(error) || error instanceof MongoServerSelectionError;

/** Runs a command that may run twice, and repeats it while the database is away, up to a minute. */
export function patiently<Result>(run: () => Promise<Result>): Promise<Result> {
  const end = performance.now() + patience;
  const attempt = (): Promise<Result> =>
    run().catch(async (error: unknown) => {
      if (!isAway(error) || performance.now() > end) throw error;
      await delay(pause);
      return attempt();
    });
  return translating(attempt);
}
