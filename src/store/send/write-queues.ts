import type { Document } from 'mongodb';
import { Queue, type Sender } from '#base/limits/queue.js';
import { conflictError } from './driver-errors.js';

/** Maximum number of transactions that wait to write one entry, in total and per client. Further ones are answered by a 503. */
const bounds = {
  atOnce: 1,
  waiting: 400,
  ofClient: 200,
  refusal: 'Too many requests write to the same entry, please try again later',
};

/**
 * Queues of the transactions that write the same entries, after they have conflicted. One after the other, each succeeds at its next
 * attempt. All at once, one succeeds and the others run again, so that the work grows by the square of their number.
 */
export class WriteQueues {
  readonly #queues = new Map<string, Queue>();

  isBusy(key: string): boolean {
    return this.#queues.has(key);
  }

  /** Runs work when its turn has come in the queues of all keys. The keys must be sorted, so that no two wait for each other. */
  run<Result>(keys: readonly string[], work: () => Promise<Result>, sender: Sender | null): Promise<Result> {
    return keys.reduceRight((inner, key) => () => this.#inQueue(key, inner, sender), work)();
  }

  async #inQueue<Result>(key: string, work: () => Promise<Result>, sender: Sender | null): Promise<Result> {
    const queue = this.#queues.get(key) ?? new Queue(bounds);
    this.#queues.set(key, queue);
    try {
      return await queue.run(work, sender ?? undefined);
    } finally {
      if (queue.isIdle) this.#queues.delete(key);
    }
  }
}

/** The entries that a transaction writes. */
export class WrittenEntries {
  readonly #queues: WriteQueues;
  /** The entries in whose queues the transaction has its turn. */
  #collections: readonly string[] = [];
  /** The entries of the last command. */
  #last: readonly string[] = [];

  constructor(queues: WriteQueues) {
    this.#queues = queues;
  }

  /**
   * Notes the entries that the next command writes. Throws the error of a conflict, which the server would report too, if others
   * have their turn to write one of them. The queue of a collection holds nobody up who has not met a conflict.
   */
  note(collection: string, matches: readonly Document[]): void {
    this.#last = matches.flatMap((match) => keysOf(collection, match));
    const isTaken = (key: string): boolean => key !== collection && this.#queues.isBusy(key) && !this.#collections.includes(key);
    if (!this.#last.some(isTaken)) return;
    throw conflictError('other requests write this entry');
  }

  /** Makes further attempts wait for their turn to write the entries of the last command, which has conflicted with others. */
  noteConflict(): void {
    this.#collections = [...new Set([...this.#collections, ...this.#last])].sort();
  }

  /** Runs an attempt when its turn has come. */
  inTurn<Result>(work: () => Promise<Result>, sender: Sender | null): Promise<Result> {
    return this.#queues.run(this.#collections, work, sender);
  }
}

/** Returns the queues of the documents that a match selects by id; that of the collection if it selects them otherwise. */
function keysOf(collection: string, match: Document): readonly string[] {
  const ids = idsIn(match);
  return ids === null ? [collection] : ids.map((id) => `${collection}/${String(id)}`);
}

/** Returns the ids that a match names; null if it may select other documents. */
function idsIn({ _id, $and }: Document): readonly unknown[] | null {
  if (typeof _id === 'number') return [_id];
  const listed = (_id as { readonly $in?: unknown } | undefined)?.$in;
  if (Array.isArray(listed)) return listed;
  if (!Array.isArray($and)) return null;
  return ($and as readonly Document[]).map(idsIn).find((ids) => ids !== null) ?? null;
}
