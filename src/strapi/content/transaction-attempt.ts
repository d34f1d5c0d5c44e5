import { Queue } from '#base/limits/queue.js';
import type { Database } from '#store/send/database.js';
import { isRetried } from '#store/send/transaction.js';

/** The reason why a transaction is aborted that code has rolled back. */
export class RolledBack extends Error {
  override readonly name = 'RolledBack';
}

/** `open`: commands belong to it. `ended`: later ones do not. `failed`: code that still runs must write nothing more. */
type AttemptState = 'open' | 'ended' | 'failed';

/**
 * An attempt of a transaction that code has begun. It remembers how the code has ended it, and ends only once. After a conflict with other
 * writers there are several.
 */
export class TransactionAttempt {
  /** The database in the scope of the transaction. */
  readonly database: Database;
  /** Resolves when the transaction is to be committed. Rejects with the reason why it is to be aborted. */
  readonly ending: Promise<void>;
  readonly onCommit: (() => unknown)[] = [];
  readonly onRollback: (() => unknown)[] = [];
  readonly #commands: Commands;
  #state: AttemptState = 'open';
  #resolve: () => void = () => undefined;
  #reject: (reason: unknown) => void = () => undefined;

  constructor(database: Database) {
    const { session, order = new Queue({ atOnce: 1 }) } = database;
    this.#commands = new Commands(order, () => !this.hasFailed && session?.inTransaction() !== false);
    this.database = database.session === null ? database : { ...database, order: this.#commands };
    this.ending = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  get hasFailed(): boolean {
    return this.#state === 'failed';
  }

  /** Commits the transaction after the commands that are under way, unless it has ended. */
  commit(): void {
    this.#end(this.#resolve);
  }

  /** Aborts the transaction for a reason, unless it has ended. */
  abort(reason: unknown): void {
    this.#end(() => {
      this.#reject(reason);
    });
  }

  /** After a conflict with another writer the transaction is aborted for that reason, so that it runs again. */
  #end(decide: () => void): void {
    if (this.#state !== 'open') return;
    this.#state = 'ended';
    void this.#commands.drain().then(() => {
      const { conflict } = this.#commands;
      if (conflict === null) decide();
      else this.#reject(conflict);
    });
  }

  /** Ends an attempt whose code may still run: there is another attempt, or no time is left. */
  fail(): void {
    this.#state = 'failed';
  }

  refuseAfterFailure(): void {
    if (this.hasFailed)
      throw new Error('the transaction of this code has failed, so that nothing more can be read or written in it');
  }
}

/**
 * The queue of the commands of a transaction. It refuses those that come after the commit or the abort, which the driver would send
 * outside of the transaction.
 */
class Commands extends Queue {
  readonly #order: Queue;
  readonly #takesMore: () => boolean;
  /** The first error after which the transaction runs again; null if there is none. */
  conflict: Error | null = null;

  constructor(order: Queue, takesMore: () => boolean) {
    super({ atOnce: 1 });
    this.#order = order;
    this.#takesMore = takesMore;
  }

  override run<Result>(work: () => Promise<Result>): Promise<Result> {
    return super.run(async () => {
      if (!this.#takesMore()) throw new Error('the transaction has ended before this command, which belongs to it');
      try {
        return await this.#order.run(work);
      } catch (error) {
        if (error instanceof Error && isRetried(error)) this.conflict ??= error;
        throw error;
      }
    });
  }

  /** Resolves when all commands have ended. */
  drain(): Promise<void> {
    return super.run(() => Promise.resolve());
  }
}
