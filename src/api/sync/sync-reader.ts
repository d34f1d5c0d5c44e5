import { unavailableError } from '#base/errors.js';
import type { EndSignal } from '#base/limits/ending.js';
import { Queue } from '#base/limits/queue.js';
import type { Database } from '#store/send/database.js';
import {
  changesAfter,
  fieldsIn,
  isWithin,
  type LogPlace,
  type LogState,
  readLogState,
  type StoredChange,
} from '#store/stores/change-log.js';
import type { LogSignal } from './log-signal.js';
import { firstPosition, readStep, type Step } from './read-step.js';
import type { Shape } from './shape.js';
import type { Sight, SyncSession } from './sync-session.js';
import { type Position, resetError } from './token.js';

/** Milliseconds that a request waits until the log follows its type. */
const longestStart = 10_000;

/** The state of the log. */
export interface SeenState {
  readonly state: LogState;
  /** The version of the log signal before it was read. */
  readonly seen: number;
}

interface ReaderInput {
  readonly database: Database;
  readonly log: LogSignal;
  /** `api.sync.pageSize` */
  readonly size: number;
}

/** Reads for clients. Requests of long answers do not wait in the queue of requests, so their reads have one. */
export class SyncReader {
  readonly #input: ReaderInput;
  #last: LogState | null = null;
  readonly #queue = new Queue({ atOnce: 16, waiting: 2_000, ofClient: 100, longest: 10_000, refusal: busy });

  constructor(input: ReaderInput) {
    this.#input = input;
  }

  /**
   * Returns the state of a log that follows all that a shape depends on. Waits for it, because a model may just have been stored.
   * Throws a 503 if it takes long.
   */
  async followed({ shape }: Sight, signal: EndSignal | undefined): Promise<SeenState> {
    const { log, database } = this.#input;
    const until = performance.now() + longestStart;
    for (;;) {
      const seen = log.version;
      const state = this.#sameAs(await readLogState(database));
      if (state !== null && follows(state, shape)) return { state, seen };
      const left = until - performance.now();
      if (left <= 0 || signal?.aborted === true) throw unavailableError('The change log does not follow this type yet');
      await log.changed(seen, Math.min(left, 500));
    }
  }

  /** Returns the state that was read before if it is equal, so that clients that wait share one. */
  #sameAs(state: LogState | null): LogState | null {
    if (state?.writes !== this.#last?.writes || state?.epoch !== this.#last?.epoch) this.#last = state;
    return this.#last;
  }

  /** Reads the next step of a client; with fewer entries if a whole page exceeds the limits of a request. */
  async step(session: SyncSession, position: Position | null, state: LogState): Promise<Step> {
    const { size } = this.#input;
    let { sight } = session;
    for (let part = size; ; part = Math.ceil(part / 8)) {
      try {
        const from = position ?? firstPosition(state);
        return await this.#queue.run(() => readStep(from, { ...sight, state, size: part }), session.sender);
      } catch (error) {
        if (part === 1 || sight.content.bind.budget.exceeded !== error || error === null) throw error;
        const { digest } = sight.shape;
        sight = await session.look(); // with a new budget
        if (sight.shape.digest !== digest) throw resetError('Rights or models have changed');
      }
    }
  }

  /** Returns the changes after a place. Throws a SyncResetError if the log does not continue it. */
  async changes(place: LogPlace, state: LogState): Promise<readonly StoredChange[]> {
    const changes = await changesAfter(this.#input.database, place, { state, limit: this.#input.size });
    if (changes === null) throw resetError('The changes since the token are no longer stored');
    return changes;
  }
}

const busy = 'Too many clients sync, please try again later';

const follows = (state: LogState, { dependencies, visibility }: Shape): boolean =>
  [...dependencies.collections].every((name) => state.followed.includes(name)) && isWithin(visibility.fields, fieldsIn(state));
