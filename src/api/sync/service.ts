import { unavailableError } from '#base/errors.js';
import type { EndSignal } from '#base/limits/ending.js';
import { Queue } from '#base/limits/queue.js';
import type { Observer } from '#base/observe/observer.js';
import type { RunningService } from '#http/running.js';
import type { Database } from '#store/send/database.js';
import { type LogState, syncLog } from '#store/stores/change-log.js';
import { SyncHub } from './hub.js';
import type { SyncSession } from './session.js';
import { firstPosition, readStep, type Step } from './step.js';
import { type Position, resetError, SyncTokens } from './token.js';
import { Connections, LogSignal } from './wait.js';

/** The state of the log as it was read. */
export interface LogReading {
  readonly state: LogState;
  /** The version of the log signal before. */
  readonly version: number;
}

/** Where a request begins. */
export interface Start extends LogReading {
  readonly handle: string;
  readonly position: Position;
}

/** Milliseconds that a request waits until the log follows its type. */
const maxStartTime = 10_000;

const refusal = 'Too many clients sync, please try again later';

/** What all requests for changes share. */
export class SyncService {
  readonly hub: SyncHub;
  readonly connections: Connections;
  readonly tokens: SyncTokens;
  readonly observer: Observer;
  /** Called with what tells whose rights may have changed. */
  readonly rechecks = new Set<(isAffected: (one: Pick<SyncSession, 'sender'>) => boolean) => void>();
  readonly #database: Database;
  readonly #signal: LogSignal;
  readonly #pageSize: number;
  #lastState: LogState | null = null;
  /** Requests of long answers do not wait in the queue of requests, so their reads have one. */
  readonly #queue = new Queue({ atOnce: 16, waiting: 2_000, ofClient: 100, longest: 10_000, refusal });

  constructor(running: RunningService) {
    const { database, changes } = running.backend.store;
    const settings = settingsOf(running);
    const signal = new LogSignal(changes);
    this.hub = new SyncHub({ database, signal, pageSize: settings.pageSize });
    this.connections = new Connections(settings);
    this.tokens = new SyncTokens(running.secrets);
    this.observer = running.observer;
    this.#database = database;
    this.#signal = signal;
    this.#pageSize = settings.pageSize;
  }

  /**
   * Returns where a client goes on; if the token is null, it begins a first load. Throws a SyncResetError if the token cannot be
   * continued.
   */
  async start(session: SyncSession, token: string | null, ends: EndSignal | undefined): Promise<Start> {
    const { state, version } = await this.readState(session, ends);
    const handle = session.handle(state);
    return { state, version, handle, position: token === null ? firstPosition(state) : this.tokens.read(token, handle) };
  }

  /**
   * Returns the state of a log that follows all that a session depends on. Waits for it, because a model may just have been stored.
   * Throws a 503 if it takes long.
   */
  async readState({ shape }: SyncSession, ends: EndSignal | undefined): Promise<LogReading> {
    const until = performance.now() + maxStartTime;
    for (;;) {
      const { version } = this.#signal;
      const state = this.#share(await syncLog.readState(this.#database));
      if (state !== null && syncLog.follows(state, shape.dependencies.collections, shape.visibility.fields))
        return { state, version };
      const left = until - performance.now();
      if (left <= 0 || ends?.aborted === true) throw unavailableError('The change log does not follow this type yet');
      await this.#signal.changed(version, Math.min(left, 500));
    }
  }

  /** Returns the state that was read before if it is equal, so that clients that wait share one. */
  #share(state: LogState | null): LogState | null {
    const last = this.#lastState;
    if (state?.writes !== last?.writes || state?.epoch !== last?.epoch) this.#lastState = state;
    return this.#lastState;
  }

  /** Reads the next step of a client; with fewer entries if a whole page exceeds the limits of a request. */
  async readStep(session: SyncSession, position: Position, state: LogState): Promise<Step> {
    let { view } = session;
    for (let size = this.#pageSize; ; size = Math.ceil(size / 8)) {
      try {
        return await this.#queue.run(() => readStep(position, { ...view, state, size }), session.sender);
      } catch (error) {
        if (size === 1 || view.content.bind.budget.exceeded !== error || error === null) throw error;
        const { digest } = view.shape;
        view = await session.refresh(); // with a new budget
        if (view.shape.digest !== digest) throw resetError('Rights or models have changed');
      }
    }
  }
}

/** Returns the settings of sync. */
export const settingsOf = ({ config }: Pick<RunningService, 'config'>) => config.api.sync;

const services = new WeakMap<RunningService['backend'], SyncService>();

/** Returns what requests for changes share. It is made when it is needed first. */
export function syncService(running: RunningService): SyncService {
  const service = services.get(running.backend) ?? new SyncService(running);
  services.set(running.backend, service);
  return service;
}

/** Headers of all answers. They depend on the rights of the caller, so nobody may store them. */
export const syncHeaders = { 'Cache-Control': 'no-store', Vary: 'Authorization' } as const;
