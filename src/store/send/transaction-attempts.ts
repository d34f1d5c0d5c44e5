import { setTimeout as delay } from 'node:timers/promises';
import type { ClientSession, TransactionOptions } from 'mongodb';
import { unconfirmedError } from '#base/errors.js';
import { Clock, grace, tooLate } from '#base/limits/clock.js';
import { notePosition, workTime } from './calls.js';
import type { Database } from './database.js';
import { isCommitUnknown, isConflict, isInterrupted, isTransient, StaleForm } from './driver-errors.js';
import type { WrittenEntries } from './write-queues.js';

/** The work of a transaction. `isRepeated`: the commit of an earlier attempt failed, so that its writes may be stored. */
export type Work<Result> = (session: ClientSession, isRepeated: boolean) => Promise<Result>;

/**
 * Runs attempts until one is committed. The driver's own retries would last two minutes, and its limits do not apply to a commit
 * or an abort, which wait for a lock or a majority as long as the server does. Here each commit is limited to the time of a
 * write, the work of an attempt to three times that, and everything together to the time that the request may still wait. After
 * the caller has received the error, no attempt is begun and no commit is sent.
 */
export async function attempts<Result>(database: Database, work: Work<Result>, written: WrittenEntries): Promise<Result> {
  const { write } = database.maxTimeMS;
  return database.time.run(workTime(write) + write, (limit) => {
    const clock = new Clock(limit);
    const run = database.client.withSession((session) =>
      untilCommitted({ database, session, clock, work, written, begun: performance.now(), isRepeated: false }).catch(
        (error: unknown) => {
          if (clock.aborted || isInterrupted(error)) endOnServer(database, session);
          throw error;
        },
      ),
    );
    return clock.race(run);
  });
}

interface Transaction<Result> {
  readonly database: Database;
  readonly session: ClientSession;
  readonly clock: Clock;
  readonly work: Work<Result>;
  readonly written: WrittenEntries;
  /** The begin of the first attempt, by `performance.now()`. */
  readonly begun: number;
  /** Whether a commit was sent. */
  isRepeated: boolean;
}

/** Maximum pauses, in milliseconds, before the second attempt of a transaction and before late attempts. */
const shortestPause = 20;
const longestPause = 500;

/**
 * Attempts after documents in a former form were looked for and none was found: another writer has just completed them, or there are none.
 */
const mostInVain = 3;

/** Runs attempts until one is committed. After a conflict, further attempts wait for the other writers of the same entries. */
async function untilCommitted<Result>(transaction: Transaction<Result>): Promise<Result> {
  const { database, clock, written, begun } = transaction;
  let inVain = 0;
  for (let pause = shortestPause; ; pause = Math.min(3 * pause, longestPause)) {
    try {
      return await written.inTurn(() => attempt(transaction), database.sender);
    } catch (error) {
      const stale: StaleForm | null = error instanceof StaleForm && inVain < mostInVain ? error : null;
      const isRetried = isTransient(error) || stale !== null;
      if (!isRetried || timeAfter(error, transaction) <= 0 || clock.aborted) throw error;
      if (isConflict(error)) written.noteConflict();
      if (stale !== null) inVain = (await stale.complete()) ? 0 : inVain + 1;
      database.abandoned.endSince(begun);
      await delay(Math.random() * pause);
    }
  }
}

/** Runs the work and commits it. If that fails, aborts the transaction. */
async function attempt<Result>(transaction: Transaction<Result>): Promise<Result> {
  const { database, session, clock, work, isRepeated } = transaction;
  const { write } = database.maxTimeMS;
  allow(clock, workTime(write), tooLate);
  session.startTransaction(optionsOf(database));
  try {
    const result = await work(session, isRepeated);
    allow(clock, write, unconfirmedError);
    transaction.isRepeated = true;
    await commit(session, clock);
    notePosition(database, session.operationTime);
    return result;
  } catch (error) {
    if (!clock.aborted) allow(clock, Math.max(timeAfter(error, transaction), 1_000), tooLate);
    if (session.inTransaction()) await session.abortTransaction();
    throw error;
  }
}

/** Begins a part of a transaction, in which the server may still report its own timeout. */
const allow = (clock: Clock, limit: number, late: () => Error): void => {
  clock.allow(Math.min(limit, clock.remainingMs) + grace, { late });
};

/** Returns the milliseconds that are left for further attempts after an error: more if it was a conflict. */
function timeAfter<Result>(error: unknown, { database, clock, begun }: Transaction<Result>): number {
  const { write } = database.maxTimeMS;
  return Math.min((isConflict(error) ? workTime(write) : write) - (performance.now() - begun), clock.remainingMs);
}

/**
 * Commits a transaction. If the outcome is unknown, sends the commit again; the server carries it out only once. Throws a 503 if it
 * is still unknown when the time is over.
 */
async function commit(session: ClientSession, clock: Clock): Promise<void> {
  for (;;) {
    try {
      await session.commitTransaction();
      return;
    } catch (error) {
      if (!isCommitUnknown(error)) throw error;
      if (clock.aborted) throw unconfirmedError();
      await delay(50);
    }
  }
}

/**
 * Returns the options of a transaction. A commit that a majority does not have within the time of a write is reported as
 * unconfirmed.
 */
const optionsOf = ({ maxTimeMS: { write } }: Database): TransactionOptions => ({
  readConcern: { level: 'snapshot' },
  writeConcern: { w: 'majority', journal: true, wtimeoutMS: write },
  maxCommitTimeMS: write,
});

/**
 * Ends a transaction on the server if its abort may not have arrived, because the server would keep its locks for a minute. Runs
 * in the background, because the server may be unreachable. The session is marked as dirty, so that the driver does not reuse a
 * session that is being ended.
 */
function endOnServer({ client }: Database, session: ClientSession): void {
  const { id } = session;
  if (id === undefined) return;
  session.serverSession.isDirty = true;
  void client
    .db('admin')
    .command({ killSessions: [{ id: id.id }] })
    .catch(() => undefined);
}
