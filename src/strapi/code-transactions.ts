import { AsyncLocalStorage } from 'node:async_hooks';
import { withDatabase, type ContentContext } from '../content/content-context.js';
import type { Database } from '../mongo/database.js';
import { unlimited } from '../query/budget.js';

interface OpenTransaction {
  readonly database: Database;
  ended: boolean;
}

/** Keeps in which transaction code runs, so that what it reads and writes belongs to it. */
export class CodeTransactions {
  readonly #open = new AsyncLocalStorage<OpenTransaction>();

  /** Runs code in a transaction. What it has begun and not waited for is outside of the transaction once the code has ended. */
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

  /** Returns the context of code: in the transaction that it runs in, if there is one. */
  contextOf(context: ContentContext): ContentContext {
    const open = this.#open.getStore();
    return open === undefined || open.ended ? context : withDatabase(context, open.database);
  }
}
