import type { ContentContext } from '#content/content-context.js';
import { messageOf } from '#base/errors.js';
import type { Database } from '#store/send/database.js';
import { afterCommit, inTransaction } from '#store/send/transaction.js';
import type { Notices } from '#base/notices.js';
import type { CodeTransactions } from '../content/code-transactions.js';
import { RolledBack, TransactionAttempt } from '../content/transaction-attempt.js';
import { missingQueries, refuseMissing } from '../load/unsupported-code.js';

/** What `strapi.db.transaction()` returns without code. Only SQL queries of the project can belong to it, which are not offered. */
export interface EmptyTransaction {
  commit(): Promise<void>;
  rollback(): Promise<void>;
  /** Same as `trx` of a transaction with code. */
  get(): object;
}

/** The argument of code in a transaction. */
export interface CodeTransaction {
  /** Calls a function after the commit. */
  onCommit(work: () => unknown): void;
  /** Calls a function after the transaction was rolled back. */
  onRollback(work: () => unknown): void;
  /** Ends the transaction without storing anything. What the code writes afterwards does not belong to it. Does nothing in an inner one. */
  rollback(): Promise<void>;
  /** Ends the transaction, so that later errors undo nothing. Does nothing in an inner one. */
  commit(): Promise<void>;
  /** The transaction of knex, without its queries. */
  readonly trx: object;
}

type Work<Result> = (transaction: CodeTransaction) => Promise<Result> | Result;

/** Runs code in a transaction: in the one in which it runs already, otherwise in one of its own. */
export function runTransaction<Result>(
  work: Work<Result>,
  { store, notices }: Pick<ContentContext, 'store' | 'notices'>,
  transactions: CodeTransactions,
): Promise<Result> {
  const { current } = transactions;
  if (current === null) return runOwn(work, store.database, transactions);
  return current.attempt === null ? runInWrite(work, current.database, notices) : runInner(work, current.attempt);
}

/** Called as `trx('table')`. */
const refuseQuery = (): never => {
  throw missingQueries();
};

const ending = (
  commit: () => Promise<void>,
  rollback: () => Promise<void>,
): Omit<CodeTransaction, 'onCommit' | 'onRollback'> => ({
  commit,
  rollback,
  trx: refuseMissing(Object.assign(refuseQuery.bind(null), { commit, rollback }), 'trx of strapi.db.transaction'),
});

const nothing = (): Promise<void> => Promise.resolve();

/** Returns what `strapi.db.transaction()` returns without code. */
export function emptyTransaction(): EmptyTransaction {
  const { commit, rollback, trx } = ending(nothing, nothing);
  return { commit, rollback, get: () => trx };
}

/** Runs code in a transaction of its own. Its result counts if it has ended the transaction itself. */
async function runOwn<Result>(work: Work<Result>, database: Database, transactions: CodeTransactions): Promise<Result> {
  const runs: { readonly attempt: TransactionAttempt; readonly result: Promise<Result> }[] = [];
  const stored = inTransaction(database, (inner) => {
    runs.at(-1)?.attempt.fail();
    const attempt = new TransactionAttempt(inner);
    const result = transactions.runAttempt(attempt, async () => work(controlsOf(attempt, () => settled)));
    runs.push({ attempt, result });
    result.then(
      () => {
        attempt.commit();
      },
      (error: unknown) => {
        attempt.abort(error);
      },
    );
    return attempt.ending;
  });
  const settled = stored.then(
    () => callAll(runs.at(-1)?.attempt.onCommit),
    async (error: unknown) => {
      const attempt = runs.at(-1)?.attempt;
      if (attempt?.isOpen === true) attempt.fail(); // no time is left
      await callAll(attempt?.onRollback);
      throw error;
    },
  );
  await settled.catch(unlessRolledBack);
  const last = runs.at(-1);
  if (last === undefined) throw new Error('a transaction was committed without its code');
  const result = await last.result;
  if (await wasStored(settled)) await callAll(last.attempt.onCommit); // those that were added after the commit
  return result;
}

const wasStored = (settled: Promise<void>): Promise<boolean> =>
  settled.then(
    () => true,
    () => false,
  );

/** Throws an error, unless it says that code has rolled back its transaction. */
function unlessRolledBack(error: unknown): void {
  if (!(error instanceof RolledBack)) throw error;
}

function controlsOf(attempt: TransactionAttempt, settled: () => Promise<void>): CodeTransaction {
  const ended = async (): Promise<void> => {
    attempt.refuseAfterFailure();
    await attempt.ending.catch(nothing);
    await settled().catch(unlessRolledBack);
    attempt.refuseAfterFailure();
  };
  const commit = (): Promise<void> => {
    attempt.commit();
    return ended();
  };
  const rollback = async (): Promise<void> => {
    if (attempt.database.session === null)
      throw new Error('a standalone MongoDB has no transactions, so nothing can be rolled back');
    attempt.abort(new RolledBack());
    await ended();
  };
  return { ...ending(commit, rollback), ...listening(attempt) };
}

const listening = ({ onCommit, onRollback }: TransactionAttempt): Pick<CodeTransaction, 'onCommit' | 'onRollback'> => ({
  onCommit: (listener) => void onCommit.push(listener),
  onRollback: (listener) => void onRollback.push(listener),
});

/** Calls listeners once. */
async function callAll(listeners: (() => unknown)[] = []): Promise<void> {
  for (const listener of listeners.splice(0)) await listener();
}

/** Runs code in a transaction that outer code has begun, and ends. */
const runInner = async <Result>(work: Work<Result>, attempt: TransactionAttempt): Promise<Result> =>
  work({ ...ending(nothing, nothing), ...listening(attempt) });

/** Runs code of a lifecycle in the transaction of its write. That cannot be rolled back in part, so that the write fails instead. */
async function runInWrite<Result>(work: Work<Result>, database: Database, notices: Notices): Promise<Result> {
  const reporting = (name: string, listener: () => unknown) => async (): Promise<void> => {
    try {
      await listener();
    } catch (error) {
      notices.logOnce(`${name} of strapi.db.transaction has failed: ${messageOf(error)}`);
    }
  };
  let refusal: Error | null = null;
  const rollback = (): Promise<never> => {
    refusal ??= new Error('a lifecycle runs in the transaction of its write: throw an error to refuse the write as a whole');
    return Promise.reject(refusal);
  };
  const result = await work({
    ...ending(nothing, rollback),
    onCommit: (listener) => void afterCommit(database, reporting('onCommit', listener)),
    onRollback: (listener) => void database.undo?.push(() => void reporting('onRollback', listener)()),
  });
  if (refusal !== null) throw refusal as Error; // set by `rollback`
  return result;
}
