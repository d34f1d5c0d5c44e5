import { setTimeout as delay } from 'node:timers/promises';
import type { ClientSession, TransactionOptions } from 'mongodb';
import { Queue } from '../queue.js';
import { unavailableError, unconfirmedError } from '../errors.js';
import type { Database } from './database.js';
import { isCommitUnknown, isConflict, isInterrupted, isTransient, translateDriverError } from './driver-errors.js';
import { Deadline, tooLate, workTime } from './within-time.js';

/**
 * Runs writes that belong together: all are stored by a majority, or none. Conflicts with other writers are retried, so `work`
 * may run more than once. Inside a transaction that is already open it just runs, and so it does on a standalone server, which
 * has no transactions. All work after the commit is run, and then what failed of it is thrown: the error, or an AggregateError of
 * several. The writes are stored then. Rejects with 503 if the server does not answer in time; its message says whether the writes may
 * have been stored.
 */
export async function inTransaction<Result>(database: Database, work: (database: Database) => Promise<Result>): Promise<Result> {
  if (database.session !== null || !database.isReplicated) return work(database);
  const later: AfterCommit[] = [];
  const undo: (() => void)[] = [];
  const abandon = (): void => {
    for (const run of undo.splice(0)) run();
  };
  const result = await ending(abandon, () =>
    attempts(database, (session) => {
      later.length = 0;
      abandon();
      return work({ order: new Queue({ atOnce: 1 }), later, undo, ...database, session });
    }),
  );
  database.budget.noteChange();
  await runAll(later);
  return result;
}

/**
 * Runs attempts until one is committed. The driver would do so for two minutes, and none of its limits reaches a commit or the end of an
 * attempt: both wait as long as the server does, for a lock or for a majority. Each commit takes at most the time of a writing command,
 * the work of an attempt three times that, and all together what the request may still wait. Once the caller has got that error, nothing is
 * begun and no commit is sent.
 */
async function attempts<Result>(database: Database, work: (session: ClientSession) => Promise<Result>): Promise<Result> {
  const { write } = database.maxTimeMS;
  return database.time.run(workTime(write) + write, (limit) => {
    const deadline = new Deadline(limit);
    const run = database.client.withSession((session) =>
      attempt({ database, session, deadline, work: () => work(session) }).catch((error: unknown) => {
        if (deadline.isOver || isInterrupted(error)) endOnServer(database, session);
        throw error;
      }),
    );
    return deadline.race(run);
  });
}

interface Attempt<Result> {
  readonly database: Database;
  readonly session: ClientSession;
  readonly deadline: Deadline;
  readonly work: () => Promise<Result>;
}

/**
 * Milliseconds that a transaction waits at most before its second attempt, and before late ones. With pauses from 5 ms that grow by half, 200
 * writers of one entry make twice as many attempts.
 */
const shortestPause = 20;
const longestPause = 500;

async function attempt<Result>(input: Attempt<Result>): Promise<Result> {
  const { database, session, deadline, work } = input;
  const { write } = database.maxTimeMS;
  const begun = performance.now();
  for (let pause = shortestPause; ; pause = Math.min(3 * pause, longestPause)) {
    session.startTransaction(optionsOf(database));
    try {
      deadline.allow(workTime(write), tooLate);
      const result = await work();
      deadline.allow(write, unconfirmedError);
      await commit(session, deadline);
      return result;
    } catch (error) {
      const left = Math.min((isConflict(error) ? workTime(write) : write) - (performance.now() - begun), deadline.left);
      const isRetried = isTransient(error) && left > 0 && !deadline.isOver;
      if (!deadline.isOver) deadline.allow(Math.max(left, 1_000), tooLate);
      if (session.inTransaction()) await session.abortTransaction();
      if (!isRetried) throw error;
      database.abandoned.endSince(begun);
      await delay(Math.random() * pause);
    }
  }
}

/** A commit whose outcome is not known is sent again: the server carries it out once. */
async function commit(session: ClientSession, deadline: Deadline): Promise<void> {
  for (;;) {
    try {
      await session.commitTransaction();
      return;
    } catch (error) {
      if (deadline.isOver || !isCommitUnknown(error)) throw error;
      await delay(50);
    }
  }
}

/** What a majority does not have within the time of a writing command is reported as not confirmed. */
const optionsOf = ({ maxTimeMS: { write } }: Database): TransactionOptions => ({
  readConcern: { level: 'snapshot' },
  writeConcern: { w: 'majority', journal: true, wtimeoutMS: write },
  maxCommitTimeMS: write,
});

/**
 * Ends a transaction whose end may not have reached the server. It would keep its locks for a minute there. Nobody waits for this: the
 * server may be away. The driver uses no session again that is marked, so that the next user of it is not ended.
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

async function runAll(works: readonly AfterCommit[]): Promise<void> {
  const errors: unknown[] = [];
  for (const run of works)
    try {
      await run();
    } catch (error) {
      errors.push(error);
    }
  if (errors.length > 1) throw new AggregateError(errors, `${String(errors.length)} errors occurred after the commit`);
  if (errors.length === 1) throw errors[0];
}

/** Translates the error of a transaction that is not tried again, and undoes the changes that were noted in it. */
async function ending<Result>(abandon: () => void, transaction: () => Promise<Result>): Promise<Result> {
  try {
    return await transaction();
  } catch (error) {
    abandon();
    if (isCommitUnknown(error)) throw unconfirmedError();
    throw isTransient(error) ? unavailableError() : translateDriverError(error);
  }
}

/** Work that waits for the commit of a transaction. */
type AfterCommit = () => Promise<void>;

/** Runs work once everything that was written before is stored: after the commit, at once if there is no transaction. */
export async function afterCommit({ session, later }: Database, work: AfterCommit): Promise<void> {
  if (session === null || later === undefined) await work();
  else later.push(work);
}
