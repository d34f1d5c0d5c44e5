import { Queue } from '#base/limits/queue.js';
import { DuplicateKey, translateDriverError } from './driver-errors.js';

/**
 * Sends the commands of a transaction one after the other. A duplicate key ends the transaction on the server: later commands, of code
 * that goes on after the error, are refused, because the server reports them as conflicts, after which the transaction would run again.
 */
export class TransactionQueue extends Queue {
  /** The duplicate key that has ended the transaction; null if none has. */
  #duplicate: DuplicateKey | null = null;

  constructor() {
    super({ atOnce: 1 });
  }

  override run<Result>(work: () => Promise<Result>): Promise<Result> {
    return super.run(async () => {
      this.refuseEnded();
      try {
        return await work();
      } catch (error) {
        const translated = translateDriverError(error);
        if (translated instanceof DuplicateKey) this.#duplicate ??= translated;
        throw error;
      }
    });
  }

  /** Throws an Error if a duplicate key has ended the transaction. */
  refuseEnded(): void {
    const cause = this.#duplicate;
    if (cause !== null)
      throw new Error(`the transaction was ended by an earlier error, and nothing of it is stored: ${cause.message}`, { cause });
  }
}
