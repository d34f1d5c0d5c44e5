import type { Step } from './read-step.js';
import type { SyncSession } from './sync-session.js';
import type { Position } from './token.js';

/** What ends the wait of a client. */
export type Outcome =
  /** `seen` is the version of the log signal before the step was read. */
  | { readonly kind: 'step'; readonly step: Step; readonly seen: number }
  /** Something may have changed, which the client reads by itself. */
  | { readonly kind: 'again' }
  /** Nothing has changed until now. */
  | { readonly kind: 'quiet' }
  | { readonly kind: 'failed'; readonly error: unknown };

/** Who waits. */
export interface Waiter {
  /** Called once, with what has ended the wait. */
  heard(outcome: Outcome, waiting: Waiting): void;
  /** Called every 15 s. */
  beat?(): void;
}

/** One wait of a client for changes. */
export interface Waiting {
  readonly session: SyncSession;
  readonly waiter: Waiter;
  /** The place in the log up to which the client has heard everything. It moves on with changes that do not concern the client. */
  position: Position;
  readonly epoch: string;
  /** The version of the log signal before the last read. */
  readonly seen: number;
  /** The time at which the wait ends, by `performance.now()`; null if it does not. */
  readonly deadline: number | null;
}
