import { ApiError } from '#base/errors.js';
import type { EndSignal } from '#base/limits/ending.js';
import type { SyncSession } from './sync-session.js';
import type { Step } from './read-step.js';
import type { SeenState } from './sync-reader.js';
import type { Begun, SyncService } from './sync-service.js';
import { type Position, resetError } from './token.js';
import type { Outcome, Waiter, Waiting } from './waiting.js';

/** Where a follower sends what it reads. */
export interface Receiver {
  /** Takes a step. Resolves when the client can take the next one. */
  take(step: Step): Promise<void>;
  /** Called every 15 s while there is nothing new. */
  beat(): void;
  /** Called once; with an error if the client cannot go on. */
  finish(error: unknown): void;
}

interface Following {
  readonly session: SyncSession;
  readonly service: SyncService;
  readonly begun: Begun;
  readonly ends: EndSignal;
  readonly receiver: Receiver;
}

/**
 * A client of a stream: it takes all that is stored, then each step as soon as something changes, until the signal aborts. It has no
 * promise and keeps nothing of a step while it waits, because there may be thousands.
 */
export class Follower implements Waiter {
  readonly #session: SyncSession;
  readonly #service: SyncService;
  readonly #ends: EndSignal;
  readonly #receiver: Receiver;
  readonly #handle: string;
  readonly #epoch: string;
  #waiting: Waiting | null = null;

  private constructor({ session, service, begun, ends, receiver }: Following) {
    this.#session = session;
    this.#service = service;
    this.#ends = ends;
    this.#receiver = receiver;
    this.#handle = session.handle(begun.state);
    this.#epoch = begun.state.epoch;
  }

  /** Throws a 4xx or a 503 if too many clients follow. */
  static start(following: Following): void {
    const { session, service, begun, ends } = following;
    service.connections.enter(session.sender);
    const follower = new Follower(following);
    ends.addEventListener('abort', () => {
      follower.#end();
    });
    follower.#run(follower.#read(begun.position, begun));
  }

  heard(outcome: Outcome, { position, seen }: Waiting): void {
    this.#waiting = null;
    this.#run(this.#goOn(outcome, position, seen));
  }

  beat(): void {
    this.#receiver.beat();
  }

  #end(): void {
    if (this.#waiting !== null) this.#service.hub.end(this.#waiting);
  }

  #run(work: Promise<void>): void {
    work.catch((error: unknown) => {
      this.#finish(error);
    });
  }

  async #goOn(outcome: Outcome, position: Position, seen: number): Promise<void> {
    if (outcome.kind === 'failed') throw outcome.error;
    if (outcome.kind === 'step') return this.#take(outcome.step, outcome.seen);
    if (outcome.kind === 'again' && !this.#ends.aborted) return this.#read(position, await this.#look());
    this.#wait(position, seen);
  }

  /** Reads what is stored, then waits. */
  async #read(from: Position, { state, seen }: SeenState): Promise<void> {
    for (;;) {
      const step = await this.#service.reader.step(this.#session, from, state);
      await this.#receiver.take(step);
      if (!step.more || this.#ends.aborted) return this.#wait(step.next, seen);
      from = step.next;
      ({ state, seen } = await this.#look());
    }
  }

  async #take(step: Step, seen: number): Promise<void> {
    await this.#receiver.take(step);
    if (step.more && !this.#ends.aborted) return this.#read(step.next, await this.#look());
    this.#wait(step.next, seen);
  }

  /** Identifies the caller again, and returns the state of the log. Throws a SyncResetError if it has other answers now. */
  async #look(): Promise<SeenState> {
    await this.#session.look();
    const seen = await this.#service.reader.followed(this.#session.sight, this.#ends);
    if (this.#session.handle(seen.state) !== this.#handle) throw resetError('Rights, models or the query have changed');
    return seen;
  }

  #wait(position: Position, seen: number): void {
    if (this.#ends.aborted) {
      this.#finish(null);
      return;
    }
    this.#waiting = { session: this.#session, waiter: this, position, epoch: this.#epoch, seen, deadline: null };
    this.#service.hub.listen(this.#waiting);
  }

  #finish(error: unknown): void {
    const { connections, observer } = this.#service;
    if (error !== null && !(error instanceof ApiError)) observer.observe({ kind: 'failed', work: 'sync', err: error });
    connections.leave(this.#session.sender);
    this.#receiver.finish(error);
  }
}
