import { runAfterWrite } from '#base/after-write.js';
import { ApiError, unavailableError, unconfirmedError } from '#base/errors.js';
import type { Database } from './database.js';
import { DuplicateKey, isTransient, StaleForm, translateDriverError } from './driver-errors.js';
import { attempts, type Work } from './transaction-attempts.js';
import { TransactionQueue } from './transaction-queue.js';
import { WrittenEntries } from './write-queues.js';

/**
 * Runs writes in a transaction, so that all or none of them are stored by a majority. It is retried after conflicts with other
 * writers, and after documents in the form of a former model were converted, so `work` may run more than once. Inside an open
 * transaction, and on a standalone server, which has no transactions, it only runs `work`. After the commit it runs all work that
 * waits for it, and then throws the error of that work, or an AggregateError of several errors; in this case the writes are stored.
 * Rejects with a 503 if the server does not answer in time; the message says whether the writes may have been stored.
 */
export async function inTransaction<Result>(database: Database, work: (database: Database) => Promise<Result>): Promise<Result> {
  if (database.session !== null || !database.isReplicated) return work(database);
  const last = new Map<string, () => Promise<void>>();
  const later: (() => Promise<void>)[] = [];
  const undo: (() => void)[] = [];
  const abandon = (): void => {
    for (const run of undo.splice(0)) run();
  };
  const written = new WrittenEntries(database.writers);
  const run: Work<Result> = (session, isRepeated) => {
    last.clear();
    later.length = 0;
    abandon();
    const order = new TransactionQueue();
    const inner = { ...database, order, last, later, undo, written, session };
    const running = work(inner).then(async (result) => {
      order.refuseEnded();
      for (const end of last.values()) await end();
      return result;
    });
    return isRepeated ? repeated(running, later) : running;
  };
  const result = await ending(abandon, () => attempts(database, run, written));
  database.budget.noteChange();
  await runLater(later);
  return result;
}

/**
 * Throws a 503 that says that the writes may be stored if repeated work is refused or writes nothing: it may have met its own
 * writes.
 */
async function repeated<Result>(work: Promise<Result>, later: readonly unknown[]): Promise<Result> {
  const result = await work.catch((error: unknown) => {
    const isRefused = error instanceof DuplicateKey || (error instanceof ApiError && error.status < 500);
    throw isRefused ? unconfirmedError() : error;
  });
  if (later.length === 0) throw unconfirmedError();
  return result;
}

/** Runs a transaction. If it fails, calls `abandon` and throws the translated error. */
async function ending<Result>(abandon: () => void, transaction: () => Promise<Result>): Promise<Result> {
  try {
    return await transaction();
  } catch (error) {
    abandon();
    throw isTransient(error) ? unavailableError() : translateDriverError(error);
  }
}

/** Returns whether a transaction whose work throws this error runs again, so that the work must not handle it. */
export const isRetried = (error: unknown): boolean => isTransient(error) || error instanceof StaleForm;

/**
 * Runs work at the end of the transaction, when all its writes are made; at once if there is none. Work about the same is run once,
 * as it was first asked for. Its error aborts the transaction.
 */
export async function beforeCommit({ last }: Database, about: string, work: () => Promise<void>): Promise<void> {
  if (last === undefined) await work();
  else if (!last.has(about)) last.set(about, work);
}

/** Runs work after the commit of the transaction; at once if there is none. */
export async function afterCommit({ session, later }: Database, work: () => Promise<void>): Promise<void> {
  const marked = (): Promise<void> => runAfterWrite(work);
  if (session === null || later === undefined) await marked();
  else later.push(marked);
}

/** Runs all work after a commit. Then throws its error, or an AggregateError of several errors. */
async function runLater(later: readonly (() => Promise<void>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const work of later)
    try {
      await work();
    } catch (error) {
      errors.push(error);
    }
  if (errors.length > 1) throw new AggregateError(errors, `${String(errors.length)} errors occurred after the commit`);
  if (errors.length === 1) throw errors[0];
}
