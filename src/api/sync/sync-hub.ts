import { nextTurn, Queue } from '#base/limits/queue.js';
import type { Database } from '#store/send/database.js';
import { type LogState, markOf, readLogState, type StoredChange } from '#store/stores/change-log.js';
import type { LogSignal } from './log-signal.js';
import { Looks, LooksOfTurn } from './looks.js';
import { concerns, readChanges, type Step } from './read-step.js';
import type { SyncReader } from './sync-reader.js';
import type { Sight, SyncSession } from './sync-session.js';
import { type Position, resetError } from './token.js';
import type { Outcome, Waiting } from './waiting.js';
import { groupBy } from '#base/values.js';

interface Listener extends Waiting {
  readonly digest: string;
  nextBeat: number;
}

interface HubInput {
  readonly database: Database;
  readonly log: LogSignal;
  readonly reader: SyncReader;
}

/** Milliseconds for which changes are gathered, and between two readings. */
const gathering = 50;
const pace = 250;

/** Milliseconds between two looks at the deadlines of all listeners, and between two beats of a stream. */
const tick = 1_000;
const beatEvery = 15_000;

const quiet: Outcome = { kind: 'quiet' };

/** The clients that wait for changes. All of them share one timer, and those who see the same share what is read. */
export class SyncHub {
  readonly #input: HubInput;
  readonly #listeners = new Set<Listener>();
  /** Listeners are as few as their settings allow, so their reads may wait. */
  readonly #queue = new Queue({ atOnce: 16 });
  #timer: NodeJS.Timeout | null = null;
  #ticking: NodeJS.Timeout | null = null;
  /** The time of the last flush, and the version of the log signal before it. */
  #read = 0;
  #flushed = 0;
  /** Whether a listener has joined that has not heard of the newest version. */
  #hasMissed = false;
  readonly #joining = new LooksOfTurn();

  constructor(input: HubInput) {
    this.#input = input;
    input.log.listen(() => {
      this.#schedule();
    });
  }

  /** Begins a wait. It ends when something changes for the client, or when its time is over. */
  listen(waiting: Waiting): void {
    const { session, seen } = waiting;
    const { digest } = session.shape;
    session.rest();
    const listener = Object.assign(waiting, { digest, nextBeat: performance.now() + beatEvery });
    this.#listeners.add(listener);
    this.#ticking ??= setInterval(() => {
      this.#tick();
    }, tick).unref();
    this.#hasMissed ||= this.#input.log.version !== seen;
    if (this.#hasMissed) this.#schedule();
    void this.#look(listener, this.#joining.get()); // rights may have changed since the caller was identified
  }

  /** Ends a wait, if it has not ended. */
  end(waiting: Waiting): void {
    this.#settle(waiting, quiet);
  }

  /** Identifies waiting callers again, whose rights may have changed. Those who see something else now are told to start anew. */
  async recheck(isMeant: (session: SyncSession) => boolean): Promise<void> {
    this.#joining.forget();
    const looks = new Looks();
    for (const listener of [...this.#listeners].filter(({ session }) => isMeant(session))) await this.#look(listener, looks);
  }

  /** Ends the shared timers and all waits. Called when all answers that last have been ended, so that no stream waits again. */
  close(): void {
    clearInterval(this.#ticking ?? undefined);
    clearTimeout(this.#timer ?? undefined);
    for (const listener of [...this.#listeners]) this.#settle(listener, quiet);
  }

  #settle(waiting: Waiting, outcome: Outcome): void {
    if (this.#listeners.delete(waiting as Listener)) waiting.waiter.heard(outcome, waiting);
  }

  #settleAll(group: readonly Listener[], outcome: Outcome): void {
    for (const listener of group) this.#settle(listener, outcome);
  }

  #tick(): void {
    const [now, looks] = [performance.now(), new Looks()];
    if (this.#listeners.size === 0) {
      clearInterval(this.#ticking ?? undefined);
      this.#ticking = null;
    }
    for (const listener of [...this.#listeners]) {
      const { deadline, waiter } = listener;
      if (deadline !== null && deadline <= now) this.#settle(listener, quiet);
      if (waiter.beat === undefined || listener.nextBeat > now) continue;
      listener.nextBeat += beatEvery;
      waiter.beat();
      void this.#look(listener, looks);
    }
  }

  #schedule(): void {
    if (this.#timer !== null || this.#listeners.size === 0) return;
    const wait = Math.max(gathering, this.#read + pace - performance.now());
    this.#timer = setTimeout(() => {
      this.#flush()
        .catch((error: unknown) => {
          this.#settleAll([...this.#listeners], { kind: 'failed', error });
        })
        .finally(() => {
          this.#read = performance.now();
          this.#timer = null;
          if (this.#hasMissed || this.#flushed !== this.#input.log.version) this.#schedule();
        });
    }, wait);
  }

  /** Reads the log once for all listeners at the same place, and the entries once for all that see the same. */
  async #flush(): Promise<void> {
    this.#flushed = this.#input.log.version;
    this.#hasMissed = false;
    const listeners = [...this.#listeners]; // those who join from now on may have read a newer state
    const state = await readLogState(this.#input.database);
    if (state === null) throw resetError('The change log was lost');
    const groups = groupBy(listeners, ({ digest, position }) => `${digest} ${placeKey(position)}`);
    const logs: Logs = new Map();
    await Promise.all([...groups.values()].map((group) => this.#tell(group, state, logs)));
  }

  async #tell(group: readonly Listener[], state: LogState, logs: Logs): Promise<void> {
    const [first] = group;
    if (first === undefined) return;
    const { position, epoch, session } = first;
    try {
      if (epoch !== state.epoch) throw resetError('The change log has begun anew');
      const key = placeKey(position);
      const changes = await (logs.get(key) ?? remember(logs, key, this.#input.reader.changes(position, state)));
      const last = changes.at(-1);
      if (last === undefined) return;
      if (concerns(changes, session.shape.dependencies)) return await this.#readFor(group, { changes, state });
      moveOn(group, { seq: last._id, mark: markOf(last.token), after: null });
      if (last._id < state.seq) this.#settleAll(group, { kind: 'again' });
    } catch (error) {
      this.#settleAll(group, { kind: 'failed', error });
    }
  }

  /** Identifies the callers of a group again, and reads for those that still see the same. */
  async #readFor(group: readonly Listener[], { changes, state }: Logged): Promise<void> {
    const left: Listener[] = [];
    const looks = new Looks();
    let sight: Sight | null = null;
    for (const [index, listener] of group.entries()) {
      const own = await this.#look(listener, looks);
      if (own !== null) left.push(listener);
      sight ??= own;
      if (index % 100 === 99) await nextTurn();
    }
    const [first] = left;
    if (first === undefined || sight === null) return;
    const { content } = sight;
    const { session, position } = first;
    const seen = this.#flushed;
    const size = changes.length;
    const read = (): Promise<Step> => readChanges(changes, position, { shape: session.shape, content, state, size });
    const step = await this.#queue.run(read, session.sender).catch((error: unknown) => {
      if (content.bind.budget.exceeded === error && error !== null) return null;
      throw error;
    });
    if (step !== null && step.changes.length === 0 && !step.more) moveOn(left, step.next);
    else this.#settleAll(left, step === null ? { kind: 'again' } : { kind: 'step', step, seen });
  }

  /** Identifies a caller again. Returns what they see if it is the same as before; otherwise ends the wait, and returns null. */
  async #look(listener: Listener, looks: Looks): Promise<Sight | null> {
    try {
      const sight = await looks.at(listener.session);
      if (sight.shape.digest === listener.digest) return sight;
      this.#settle(listener, { kind: 'failed', error: resetError('Rights or models have changed') });
    } catch (error) {
      this.#settle(listener, { kind: 'failed', error });
    }
    return null;
  }
}

/** What is read of the log at a wake-up, by its place. */
type Logs = Map<string, Promise<readonly StoredChange[]>>;

interface Logged {
  readonly changes: readonly StoredChange[];
  readonly state: LogState;
}

const placeKey = ({ seq, mark }: Position): string => `${String(mark)} ${String(seq)}`;

function moveOn(group: readonly Listener[], position: Position): void {
  for (const listener of group) listener.position = position;
}

function remember<Value>(known: Map<string, Value>, key: string, value: Value): Value {
  known.set(key, value);
  return value;
}
