import { runAfterWrite } from '#base/after-write.js';
import type { Database } from './database.js';

type Work = () => Promise<void>;

/**
 * Runs work at the end of the transaction, when all its writes are made; at once if there is none. Work about the same is run once,
 * as it was first asked for. Its error aborts the transaction.
 */
export async function beforeCommit({ last }: Database, about: string, work: Work): Promise<void> {
  if (last === undefined) await work();
  else if (!last.has(about)) last.set(about, work);
}

/** Runs work after the commit of the transaction; at once if there is none. */
export async function afterCommit({ session, later }: Database, work: Work): Promise<void> {
  const marked = (): Promise<void> => runAfterWrite(work);
  if (session === null || later === undefined) await marked();
  else later.push(marked);
}

/** Runs all work after a commit. Then throws its error, or an AggregateError of several errors. */
export async function runLater(later: readonly Work[]): Promise<void> {
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
