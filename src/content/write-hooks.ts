import { afterCommit, inTransaction } from '../mongo/transaction.js';
import { within, type ContentContext, type PendingWrite, type Written } from './content-context.js';

/** How a write is done. */
interface HookedWrite<Result> {
  /** Writes the data, which is the given one unless code has changed it. */
  readonly run: (data: unknown, context: ContentContext) => Promise<Result>;
  /** Says what was written; null: nothing, so that no more code runs. */
  readonly written: (result: Result) => Written | null;
  /** Whether there is what the write is about, if the write itself looks only later. */
  readonly isThere?: (context: ContentContext) => Promise<boolean>;
}

/** Runs a write with the code around it, all in one transaction; the write alone if there is no code. */
export async function withHooks<Result>(
  write: PendingWrite,
  context: ContentContext,
  { run, written, isThere }: HookedWrite<Result>,
): Promise<Result> {
  const hook = context.hooks?.find(write.type.uid, write.action) ?? null;
  if (hook === null) return run(write.data, context);
  return inTransaction(context.store.database, async (database) => {
    const inside = within(context, database);
    if (isThere !== undefined && !(await isThere(inside))) return run(write.data, inside);
    const begun = await hook(write, inside);
    const result = await run(begun.data, inside);
    const outcome = written(result);
    if (outcome !== null) await afterCommit(database, () => begun.finish(outcome));
    return result;
  });
}
