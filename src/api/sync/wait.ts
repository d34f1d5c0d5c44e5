import { rateLimitError, unavailableError } from '#base/errors.js';
import { exceeding } from '#base/limits/exceeded.js';
import type { Sender } from '#base/limits/queue.js';
import { waited } from '#base/limits/timers.js';
import type { ChangeBus } from '#store/changes/changes.js';
import { changeLog } from '#model/schema/collections.js';
import type { SyncSession } from './session.js';
import type { Step } from './step.js';
import type { Position } from './token.js';

/** One wait of a client for changes. */
export interface WaitOptions {
  readonly session: SyncSession;
  readonly waiter: Waiter;
  /** The place in the log up to which the client has heard everything. It moves on with changes that do not concern the client. */
  position: Position;
  readonly epoch: string;
  /** The version of the log signal before the last read. */
  readonly version: number;
  /** The time at which the wait ends, by `performance.now()`; null if it does not. */
  readonly deadline: number | null;
}

/** Who waits. */
export interface Waiter {
  /** Called once, when the wait has ended. */
  onEnd(outcome: Outcome, wait: WaitOptions): void;
  /** Called every 15 s. */
  onBeat?(): void;
}

/** What ends the wait of a client. */
export type Outcome =
  /** `version` is that of the log signal before the step was read. */
  | { readonly kind: 'step'; readonly step: Step; readonly version: number }
  /** Something may have changed, which the client reads by itself. */
  | { readonly kind: 'again' }
  /** Nothing has changed until now. */
  | { readonly kind: 'quiet' }
  | { readonly kind: 'failed'; readonly error: unknown };

/** The settings of waiting requests. */
interface ConnectionLimits {
  readonly connections: number;
  readonly connectionsPerCaller: number;
}

/** Limits the requests that wait for changes, of each caller and in total. */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #connections = new Map<string, number>();
  #all = 0;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  /** Counts a connection. Throws if there are too many. */
  enter({ client }: Sender): void {
    const { connections, connectionsPerCaller } = this.#limits;
    const own = this.#connections.get(client) ?? 0;
    if (own >= connectionsPerCaller)
      throw exceeding(
        'api.sync.connectionsPerCaller',
        rateLimitError('Too many requests wait for changes', { 'Retry-After': '5' }),
      );
    if (this.#all >= connections)
      throw exceeding('api.sync.connections', unavailableError('Too many requests wait for changes, please try again later'));
    this.#all += 1;
    this.#connections.set(client, own + 1);
  }

  /** Ends a connection that was counted. */
  leave({ client }: Sender): void {
    this.#all -= 1;
    const left = (this.#connections.get(client) ?? 1) - 1;
    if (left === 0) this.#connections.delete(client);
    else this.#connections.set(client, left);
  }
}

/** Tells that the change log was written, by this instance or another one. */
export class LogSignal {
  /** Increases with each write of the log. */
  version = 0;
  readonly #listeners = new Set<() => void>();

  constructor(changes: ChangeBus) {
    changes.onChange([changeLog], () => {
      this.version += 1;
      for (const listener of [...this.#listeners]) listener();
    });
  }

  /** Calls a function at each write. Returns a function that ends this. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves when the log was written since a version, or after some milliseconds. */
  async changed(since: number, milliseconds: number): Promise<void> {
    if (this.version !== since) return;
    const write = new AbortController();
    const end = this.listen(() => {
      write.abort();
    });
    await waited(milliseconds, write.signal, { ref: false });
    end();
  }
}
