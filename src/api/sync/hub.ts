import { nextTurn, Queue } from '#base/limits/queue.js';
import { groupBy } from '#base/values.js';
import { every } from '#base/limits/timers.js';
import type { Database } from '#store/send/database.js';
import { type LogPlace, type LogState, type StoredChange, syncLog } from '#store/stores/change-log.js';
import { IdentifiedCallers, type SyncSession, type View } from './session.js';
import { concerns, positionAfter, readChanges, readLog } from './step.js';
import { type Position, resetError } from './token.js';
import type { LogSignal, Outcome, WaitOptions } from './wait.js';

interface Listener extends WaitOptions {
  readonly digest: string;
  nextBeat: number;
}

interface HubInput {
  readonly database: Database;
  readonly signal: LogSignal;
  /** Maximum number of changes that are read at once. */
  readonly pageSize: number;
}

/** Milliseconds for which changes are gathered, and between two reads of the log. */
const gatherTime = 50;
const readInterval = 250;

/** Milliseconds between two looks at the deadlines of all listeners, and between two beats of a stream. */
const tickInterval = 1_000;
const beatInterval = 15_000;

const quiet: Outcome = { kind: 'quiet' };

/** The clients that wait for changes. All of them share one timer, and those who see the same share what is read. */
export class SyncHub {
  readonly #input: HubInput;
  readonly #listeners = new Set<Listener>();
  /** Listeners are as few as their settings allow, so their reads may wait. */
  readonly #queue = new Queue({ atOnce: 16 });
  #readTimer: NodeJS.Timeout | null = null;
  #stopTicks: (() => void) | null = null;
  /** The time of the last read, and the version of the log signal before it. */
  #readAt = 0;
  #version = 0;
  /** Whether a listener has joined that has not heard of the newest version. */
  #hasMissed = false;
  /** Those who begin to wait in one turn of the event loop. After a wake-up they may be thousands with equal credentials. */
  #newCallers: IdentifiedCallers | null = null;

  constructor(input: HubInput) {
    this.#input = input;
    input.signal.listen(() => {
      this.#schedule();
    });
  }

  /** Begins a wait. It ends when something changes for the client, or when its time is over. */
  add(wait: WaitOptions): void {
    const { session, version } = wait;
    const { digest } = session.shape;
    session.release();
    const listener = Object.assign(wait, { digest, nextBeat: performance.now() + beatInterval });
    this.#listeners.add(listener);
    this.#stopTicks ??= every(tickInterval, () => {
      this.#tick();
    });
    this.#hasMissed ||= this.#input.signal.version !== version;
    if (this.#hasMissed) this.#schedule();
    void this.#viewOf(listener, this.#callersOfTurn()); // rights may have changed since the caller was identified
  }

  /** Ends a wait, if it has not ended. */
  end(wait: WaitOptions): void {
    this.#settle(wait, quiet);
  }

  /** Identifies waiting callers again, whose rights may have changed. Those who see something else now are told to start anew. */
  async recheck(isAffected: (session: SyncSession) => boolean): Promise<void> {
    this.#newCallers = null;
    const callers = new IdentifiedCallers();
    const affected = [...this.#listeners].filter(({ session }) => isAffected(session));
    for (const listener of affected) await this.#viewOf(listener, callers);
  }

  /** Ends the shared timers and all waits. Called when all answers that last have been ended, so that no stream waits again. */
  close(): void {
    this.#stopTicks?.();
    clearTimeout(this.#readTimer ?? undefined);
    this.#settleAll([...this.#listeners], quiet);
  }

  #callersOfTurn(): IdentifiedCallers {
    if (this.#newCallers !== null) return this.#newCallers;
    setImmediate(() => {
      this.#newCallers = null;
    });
    return (this.#newCallers = new IdentifiedCallers());
  }

  #settle(wait: WaitOptions, outcome: Outcome): void {
    if (this.#listeners.delete(wait as Listener)) wait.waiter.onEnd(outcome, wait); // others are no members
  }

  #settleAll(listeners: readonly Listener[], outcome: Outcome): void {
    for (const listener of listeners) this.#settle(listener, outcome);
  }

  #tick(): void {
    const [now, callers] = [performance.now(), new IdentifiedCallers()];
    if (this.#listeners.size === 0) {
      this.#stopTicks?.();
      this.#stopTicks = null;
    }
    for (const listener of [...this.#listeners]) {
      const { deadline, waiter } = listener;
      if (deadline !== null && deadline <= now) this.#settle(listener, quiet);
      if (waiter.onBeat === undefined || listener.nextBeat > now) continue;
      listener.nextBeat += beatInterval;
      waiter.onBeat();
      void this.#viewOf(listener, callers);
    }
  }

  #schedule(): void {
    if (this.#readTimer !== null || this.#listeners.size === 0) return;
    const delay = Math.max(gatherTime, this.#readAt + readInterval - performance.now());
    this.#readTimer = setTimeout(() => {
      this.#read()
        .catch((error: unknown) => {
          this.#settleAll([...this.#listeners], { kind: 'failed', error });
        })
        .finally(() => {
          this.#readAt = performance.now();
          this.#readTimer = null;
          if (this.#hasMissed || this.#version !== this.#input.signal.version) this.#schedule();
        });
    }, delay);
  }

  /** Reads the log once for all listeners at the same place, and the entries once for all that see the same. */
  async #read(): Promise<void> {
    this.#version = this.#input.signal.version;
    this.#hasMissed = false;
    const listeners = [...this.#listeners]; // those who join from now on may have read a newer state
    const state = await syncLog.readState(this.#input.database);
    if (state === null) throw resetError('The change log was lost');
    const logs: Logs = new Map();
    const groups = groupBy(listeners, ({ digest, position }) => `${digest} ${placeKey(position)}`);
    await Promise.all([...groups.values()].map((group) => this.#notify(group, state, logs)));
  }

  /** Tells a group of listeners, who see the same and are at the same place, what has changed for them. */
  async #notify(group: readonly Listener[], state: LogState, logs: Logs): Promise<void> {
    const [first] = group;
    if (first === undefined) return;
    const { position, epoch, session } = first;
    try {
      if (epoch !== state.epoch) throw resetError('The change log has begun anew');
      const key = placeKey(position);
      const log = logs.get(key) ?? readLog(position, this.#input.database, { state, size: this.#input.pageSize });
      logs.set(key, log);
      const changes = await log;
      const last = positionAfter(changes);
      if (last === null) return;
      if (concerns(changes, session.shape)) return await this.#readFor(group, changes, state);
      moveTo(last, group);
      if (last.seq < state.seq) this.#settleAll(group, { kind: 'again' });
    } catch (error) {
      this.#settleAll(group, { kind: 'failed', error });
    }
  }

  /** Identifies the callers of a group again, and reads for those that still see the same. */
  async #readFor(group: readonly Listener[], changes: readonly StoredChange[], state: LogState): Promise<void> {
    const readers: Listener[] = [];
    const callers = new IdentifiedCallers();
    let view: View | null = null;
    for (const [index, listener] of group.entries()) {
      const own = await this.#viewOf(listener, callers);
      if (own !== null) readers.push(listener);
      view ??= own;
      if (index % 100 === 99) await nextTurn();
    }
    const [first] = readers;
    if (first === undefined || view === null) return;
    const { content } = view;
    const { session, position } = first;
    const [version, size] = [this.#version, changes.length];
    const context = { shape: session.shape, content, state, size };
    const step = await this.#queue
      .run(() => readChanges(changes, position, context), session.sender)
      .catch((error: unknown) => {
        if (content.bind.budget.exceeded === error && error !== null) return null;
        throw error;
      });
    if (step !== null && step.changes.length === 0 && !step.more) moveTo(step.next, readers);
    else this.#settleAll(readers, step === null ? { kind: 'again' } : { kind: 'step', step, version });
  }

  /** Identifies a caller again. Returns what they see if it is the same as before; otherwise ends the wait, and returns null. */
  async #viewOf(listener: Listener, callers: IdentifiedCallers): Promise<View | null> {
    try {
      const view = await callers.viewOf(listener.session);
      if (view.shape.digest === listener.digest) return view;
      this.#settle(listener, { kind: 'failed', error: resetError('Rights or models have changed') });
    } catch (error) {
      this.#settle(listener, { kind: 'failed', error });
    }
    return null;
  }
}

/** What is read of the log at a wake-up, by its place. */
type Logs = Map<string, Promise<readonly StoredChange[]>>;

const placeKey = ({ seq, mark }: LogPlace): string => `${String(mark)} ${String(seq)}`;

function moveTo(position: Position, listeners: readonly Listener[]): void {
  for (const listener of listeners) listener.position = position;
}
