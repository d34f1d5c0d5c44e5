import { Queue } from '../queue.js';
import { unavailableError } from '../errors.js';
import type { Database } from './database.js';
import { isTransient, translateDriverError } from './driver-errors.js';

/**
 * Runs writes that belong together: all are stored by a majority, or none. Conflicts with other writers are retried, so `work`
 * may run more than once. Inside a transaction that is already open it just runs, and so it does on a standalone server, which
 * has no transactions. All work after the commit is run, and then what failed of it is thrown: the error, or an AggregateError of
 * several. The writes are stored then.
 */
export async function inTransaction<Result>(database: Database, work: (database: Database) => Promise<Result>): Promise<Result> {
  if (database.session !== null || !database.isReplicated) return work(database);
  const later: AfterCommit[] = [];
  const undo: (() => void)[] = [];
  const abandon = (): void => {
    for (const run of undo.splice(0)) run();
  };
  const result = await ending(abandon, () =>
    database.client.withSession((session) =>
      session.withTransaction(
        () => {
          later.length = 0;
          abandon();
          return work({ order: new Queue({ atOnce: 1 }), later, undo, ...database, session });
        },
        {
          readConcern: { level: 'snapshot' },
          writeConcern: { w: 'majority', j: true },
          maxCommitTimeMS: database.maxTimeMS.write,
          timeoutMS: 3 * database.maxTimeMS.write,
        },
      ),
    ),
  );
  database.budget.noteChange();
  await runAll(later);
  return result;
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

/** Translates what a transaction throws that is not tried again, and undoes what was noted in it. */
async function ending<Result>(abandon: () => void, transaction: () => Promise<Result>): Promise<Result> {
  try {
    return await transaction();
  } catch (error) {
    abandon();
    throw isTransient(error) || isUnlabelled(error) ? unavailableError() : translateDriverError(error);
  }
}

/** A connection that breaks while a commit is sent is an error without labels, of which the driver asks for some. */
const isUnlabelled = (error: unknown): boolean => error instanceof TypeError && error.message.includes('hasErrorLabel');

/** Work that waits for the commit of a transaction. */
type AfterCommit = () => Promise<void>;

/** Runs work once everything that was written before is stored: after the commit, at once if there is no transaction. */
export async function afterCommit({ session, later }: Database, work: AfterCommit): Promise<void> {
  if (session === null || later === undefined) await work();
  else later.push(work);
}
