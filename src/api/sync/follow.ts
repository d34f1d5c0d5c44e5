import { ApiError } from '#base/errors.js';
import type { EndSignal } from '#base/limits/ending.js';
import { LiveBody } from '#http/live-body.js';
import type { SyncHub } from './hub.js';
import type { LogReading, Start, SyncService } from './service.js';
import type { SyncSession } from './session.js';
import type { Step } from './step.js';
import { type Position, resetError } from './token.js';
import type { Outcome, WaitOptions, Waiter } from './wait.js';

interface FollowInput {
  readonly service: SyncService;
  readonly session: SyncSession;
  readonly start: Start;
}

/** Reads the next step. If there is none, waits some seconds for it. */
export async function pollStep(
  { service, session, start }: FollowInput,
  seconds: number,
  ends: EndSignal | undefined,
): Promise<Step> {
  const { hub, connections } = service;
  const step = await service.readStep(session, start.position, start.state);
  if (seconds === 0 || step.changes.length > 0 || step.more || ends === undefined || ends.aborted) return step;
  connections.enter(session.sender);
  try {
    const deadline = performance.now() + 1_000 * seconds;
    const wait = { session, position: step.next, epoch: start.state.epoch, version: start.version, deadline };
    const { outcome, position } = await endOf(wait, hub, ends);
    if (outcome.kind === 'failed') throw outcome.error;
    if (outcome.kind === 'step') return outcome.step;
    return { ...step, next: position, more: outcome.kind === 'again' };
  } finally {
    connections.leave(session.sender);
  }
}

/** Waits until something changes, the time is over or the signal aborts. */
const endOf = (
  wait: Omit<WaitOptions, 'waiter'>,
  hub: SyncHub,
  ends: EndSignal,
): Promise<{ readonly outcome: Outcome; readonly position: Position }> =>
  new Promise((resolve) => {
    const onEnd: Waiter['onEnd'] = (outcome, { position }) => {
      resolve({ outcome, position });
    };
    const own: WaitOptions = { ...wait, waiter: { onEnd } };
    ends.addEventListener('abort', () => {
      hub.end(own);
    });
    hub.add(own);
  });

/** What takes the steps of a follower. */
export interface StepStream {
  /** Resolves when the next step can be taken. */
  send(step: Step): Promise<void>;

  /** Called every 15 s. */
  beat(): void;

  /** Called once, when no step follows; with an error if the client cannot go on. */
  close(error: unknown): void;
}

/** The body of a stream. Not more than one step waits in it until the client reads. */
export abstract class EventStream extends LiveBody implements StepStream {
  /** Returns the events of a step. */
  protected abstract textOf(step: Step): string;

  /** Ends the stream; with an error if the client cannot go on. */
  abstract close(error: unknown): void;

  /** Writes the events of a step. Resolves when the client can take the next one. */
  send(step: Step): Promise<void> {
    this.write(this.textOf(step));
    return this.ready();
  }

  /** Sends a comment, so that proxies keep the connection, unless there is something to read. */
  beat(): void {
    if (this.isRead) this.write(': keep-alive\n\n');
  }
}

interface FollowerInput extends FollowInput {
  readonly stream: StepStream;
  readonly ends: EndSignal;
  /** Whether it is a part of a connection that is counted as a whole. */
  readonly isCounted?: boolean;
}

/**
 * A client of a stream: it takes all that is stored, then each step as soon as something changes, until the signal aborts. It has no
 * promise and keeps nothing of a step while it waits, because there may be thousands.
 */
export class Follower implements Waiter {
  readonly #session: SyncSession;
  readonly #service: SyncService;
  readonly #ends: EndSignal;
  readonly #stream: StepStream;
  readonly #handle: string;
  readonly #epoch: string;
  readonly #isCounted: boolean;
  #wait: WaitOptions | null = null;

  private constructor({ session, service, start, ends, stream, isCounted = false }: FollowerInput) {
    this.#session = session;
    this.#service = service;
    this.#ends = ends;
    this.#stream = stream;
    this.#handle = session.handle(start.state);
    this.#epoch = start.state.epoch;
    this.#isCounted = isCounted;
  }

  /** Throws a 4xx or a 503 if too many clients follow. */
  static start(input: FollowerInput): void {
    const { session, service, start, ends, isCounted = false } = input;
    if (!isCounted) service.connections.enter(session.sender);
    const follower = new Follower(input);
    ends.addEventListener('abort', () => {
      if (follower.#wait !== null) service.hub.end(follower.#wait);
    });
    follower.#run(follower.#read(start.position, start));
  }

  onEnd(outcome: Outcome, { position, version }: WaitOptions): void {
    this.#wait = null;
    this.#run(this.#continue(outcome, position, version));
  }

  onBeat(): void {
    this.#stream.beat();
  }

  #run(work: Promise<void>): void {
    work.catch((error: unknown) => {
      this.#close(error);
    });
  }

  async #continue(outcome: Outcome, position: Position, version: number): Promise<void> {
    if (outcome.kind === 'failed') throw outcome.error;
    if (outcome.kind === 'step') return this.#send(outcome.step, outcome.version);
    if (outcome.kind === 'again' && !this.#ends.aborted) return this.#read(position, await this.#refresh());
    this.#startWait(position, version);
  }

  /** Sends all that is stored after a position. Then waits. */
  async #read(from: Position, { state, version }: LogReading): Promise<void> {
    await this.#send(await this.#service.readStep(this.#session, from, state), version);
  }

  /** Sends a step, and what else is stored. Then waits. */
  async #send(step: Step, version: number): Promise<void> {
    for (;;) {
      await this.#stream.send(step);
      if (!step.more || this.#ends.aborted) return this.#startWait(step.next, version);
      const reading = await this.#refresh();
      step = await this.#service.readStep(this.#session, step.next, reading.state);
      ({ version } = reading);
    }
  }

  /** Identifies the caller again, and returns the state of the log. Throws a SyncResetError if it has other answers now. */
  async #refresh(): Promise<LogReading> {
    await this.#session.refresh();
    const reading = await this.#service.readState(this.#session, this.#ends);
    if (this.#session.handle(reading.state) !== this.#handle) throw resetError('Rights, models or the query have changed');
    return reading;
  }

  #startWait(position: Position, version: number): void {
    if (this.#ends.aborted) {
      this.#close(null);
      return;
    }
    this.#wait = { session: this.#session, waiter: this, position, epoch: this.#epoch, version, deadline: null };
    this.#service.hub.add(this.#wait);
  }

  #close(error: unknown): void {
    const { connections, observer } = this.#service;
    if (error !== null && !(error instanceof ApiError)) observer.observe({ kind: 'failed', work: 'sync', err: error });
    if (!this.#isCounted) connections.leave(this.#session.sender);
    this.#stream.close(error);
  }
}
