import type { Document, MongoClient } from 'mongodb';
import { slowAfter, withinTime } from '#base/limits/clock.js';
import { meanwhile } from '#base/limits/timers.js';

interface AbandonedInput {
  readonly client: MongoClient;
  readonly isSharded: boolean;
  /** Maximum duration of a transaction of the service, in milliseconds. */
  readonly longest: number;
}

/** Milliseconds without a command after which a transaction may be abandoned. */
const patience = 1_000;

/**
 * Ends transactions that no instance will finish. If an instance dies or loses its connection, the server keeps its open
 * transactions for a minute. Meanwhile writes to the same documents conflict with them. An index build waits for them, and all
 * other writes to its collection wait for the index build.
 */
export class AbandonedTransactions {
  readonly #input: AbandonedInput;
  /** The begin of the last look, by `performance.now()`. */
  #lookedAt = -Infinity;

  constructor(input: AbandonedInput) {
    this.#input = input;
  }

  /** Runs work that may wait for transactions of others, and looks for abandoned ones once a second until it has ended. */
  endWhile<Result>(work: () => Promise<Result>): Promise<Result> {
    return meanwhile(slowAfter, this.end, work);
  }

  /**
   * Looks for abandoned transactions if a write has been retried for more than a second. `begun` is the start of the write, by
   * `performance.now()`.
   */
  endSince(begun: number): void {
    if (performance.now() - begun > slowAfter) this.end();
  }

  /**
   * Looks for abandoned transactions, at most once a second, in the background. A failure is not reported, because the waiting
   * operation has an error of its own.
   */
  readonly end = (): void => {
    if (performance.now() - this.#lookedAt < slowAfter) return;
    this.#lookedAt = performance.now();
    void withinTime(slowAfter, () => this.#endAll()).catch(() => undefined);
  };

  async #endAll(): Promise<void> {
    const admin = this.#input.client.db('admin');
    const operations = await admin.aggregate<Operation>(this.#pipeline()).toArray();
    const connected = new Set(operations.filter(({ type }) => type === 'op').map(({ connectionId }) => connectionId));
    const abandoned = operations.filter(
      ({ type, connectionId, idle }) =>
        type === 'idleSession' && idle > patience && (!connected.has(connectionId) || idle > this.#input.longest),
    );
    if (abandoned.length > 0) await admin.command({ killSessions: abandoned.map(({ lsid: { id } }) => ({ id })) });
  }

  /**
   * Returns the pipeline that lists all connections of the service, and its transactions between two commands. Every database
   * user may see and end its own.
   */
  #pipeline(): Document[] {
    const { client, isSharded } = this.#input;
    return [
      { $currentOp: { idleConnections: true, idleSessions: true, ...(isSharded && { localOps: true }) } },
      { $match: { appName: client.options.appName ?? null } },
      { $project: { type: 1, connectionId: 1, lsid: 1, idle: { $divide: ['$transaction.timeInactiveMicros', 1000] } } },
    ];
  }
}

interface Operation {
  /** `idleSession`: a transaction between two commands. `op`: a connection, idle or not. */
  readonly type: string;
  /** The connection, or the last one that the transaction has used. */
  readonly connectionId: number;
  readonly lsid: { readonly id: unknown };
  /** Milliseconds since the last command of the transaction. */
  readonly idle: number;
}
