import { AsyncLocalStorage } from 'node:async_hooks';
import { withDatabase, type ContentContext } from '../../content/content-context.js';
import type { Database } from '../../mongo/send/database.js';
import { unlimited } from '../../limits/budget.js';

interface OpenTransaction {
  readonly database: Database;
  ended: boolean;
}

/** Keeps the transaction in which code runs, so that reads and writes of that code belong to it. */
export class CodeTransactions {
  readonly #open = new AsyncLocalStorage<OpenTransaction>();

  /**
   * Runs code in a transaction. Asynchronous work that is still running when the code ends no longer belongs to the transaction.
   */
  async run<Result>(database: Database, code: () => Promise<Result> | Result): Promise<Result> {
    const open: OpenTransaction = { database: { ...database, budget: unlimited, turns: null }, ended: false };
    try {
      return await this.#open.run(open, code);
    } finally {
      open.ended = true;
    }
  }

  get isOpen(): boolean {
    return this.#open.getStore()?.ended === false;
  }

  /** Returns the context of code, in its transaction if there is one. */
  contextOf(context: ContentContext): ContentContext {
    const open = this.#open.getStore();
    return open === undefined || open.ended ? context : withDatabase(context, open.database);
  }
}
