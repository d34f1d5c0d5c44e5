import { setTimeout as delay } from 'node:timers/promises';
import { MongoServerError, MongoServerSelectionError } from 'mongodb';
import { isInterrupted, translating } from '#store/send/driver-errors.js';

/** Milliseconds for which the database may be away. */
export const patience = 60_000;

/** Milliseconds between two attempts. */
const pause = 200;

/** Returns whether the database was away when a command failed. */
export const isAway = (error: unknown): boolean => isInterrupted(error) || error instanceof MongoServerSelectionError;

/** The server has closed a cursor, such as that of a session which was not used for half an hour. */
export const isCursorLost = (error: unknown): boolean => error instanceof MongoServerError && lostCursors.has(error.code);

/** The error codes CursorNotFound, CursorKilled and Interrupted. */
const lostCursors: ReadonlySet<unknown> = new Set([43, 237, 11601]);

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
