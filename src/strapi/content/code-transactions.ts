import { AsyncLocalStorage } from 'node:async_hooks';
import { withDatabase, type ContentContext } from '#content/content-context.js';
import type { Database } from '#store/send/database.js';
import { unlimited } from '#base/limits/budget.js';
import type { TransactionAttempt } from './transaction-attempt.js';

/** A transaction in which code runs. */
interface OpenTransaction {
  readonly database: Database;
  /** The transaction that code has begun; null in that of a write, in which its lifecycles run. */
  readonly attempt: TransactionAttempt | null;
  ended: boolean;
}

/** Keeps the transaction in which code runs, so that reads and writes of that code belong to it. */
export class CodeTransactions {
  readonly #open = new AsyncLocalStorage<OpenTransaction>();

  /**
   * Runs lifecycles in the transaction of a write. Asynchronous work that is still running when the code ends no longer belongs to the
   * transaction.
   */
  async run<Result>(database: Database, code: () => Promise<Result> | Result): Promise<Result> {
    const outer = this.#open.getStore()?.attempt ?? null;
    const attempt = outer?.database.session === database.session ? outer : null;
    const open: OpenTransaction = { database: asOfCode(database), attempt, ended: false };
    try {
      return await this.#open.run(open, code);
    } finally {
      open.ended = true;
    }
  }

  /** Runs code in a transaction that it has begun, until that has ended. */
  runAttempt<Result>(attempt: TransactionAttempt, code: () => Promise<Result>): Promise<Result> {
    return this.#open.run({ database: asOfCode(attempt.database), attempt, ended: false }, code);
  }

  /** The transaction in which code runs now; null if there is none. Throws an Error in one that has failed. */
  get current(): OpenTransaction | null {
    const open = this.#open.getStore();
    open?.attempt?.refuseAfterFailure();
    return open === undefined || open.ended || open.attempt?.isOpen === false ? null : open;
  }

  /** Returns the context of code, in its transaction if there is one. */
  contextOf(context: ContentContext): ContentContext {
    const open = this.current;
    return open === null ? context : { ...withDatabase(context, open.database), outlivesErrors: true };
  }
}

const asOfCode = (database: Database): Database => ({ ...database, budget: unlimited, turns: null });
