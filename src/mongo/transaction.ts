import { type Database, translating } from './database.js';

/**
 * Runs writes that belong together: all are stored by a majority, or none. Conflicts with other writers are retried, so `work`
 * may run more than once. Inside a transaction that is already open it just runs, and so it does on a standalone server, which
 * has no transactions.
 */
export async function inTransaction<Result>(database: Database, work: (database: Database) => Promise<Result>): Promise<Result> {
  if (database.session !== null || !database.isReplicated) return work(database);
  const result = await translating(() =>
    database.client.withSession((session) =>
      session.withTransaction(() => work({ ...database, session }), {
        readConcern: { level: 'snapshot' },
        writeConcern: { w: 'majority', j: true },
        maxCommitTimeMS: database.maxTimeMS.write,
        timeoutMS: 3 * database.maxTimeMS.write,
      }),
    ),
  );
  database.budget.noteChange();
  return result;
}
