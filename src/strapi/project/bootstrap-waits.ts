import { once } from 'node:events';
import { ApiError, messageOf } from '#base/errors.js';
import { contextOfCode } from '#api/code/content-of-code.js';
import { ConfigError } from '#settings/setting.js';
import type { Connection, RunningService } from '#http/running.js';
import { Alarm, waited } from '#base/limits/timers.js';
import { ping } from '#store/send/connection.js';
import { claim } from '#store/stores/claim.js';
import type { Observer } from '#base/observe/observer.js';

interface WaitParts {
  readonly connection: Connection;
  readonly observer: Observer;
  /** Milliseconds after which a wait is long. */
  readonly patience: number;
  /** Milliseconds between attempts when the database does not answer. */
  readonly pause?: number;
}

/** Milliseconds between looks whether another instance has ended, and after which it is not waited for any more. */
const turn = { pause: 250, patience: 60_000 };

/** Further attempts of code whose database answers again, because it may be the code that always fails. */
export const codeAttempts = 15;

/**
 * What the start of a service waits for before the code of `register`, and before and between that of `bootstrap`. All waits end when the
 * service stops. No code runs after that.
 */
export class BootstrapWaits {
  readonly #parts: WaitParts;
  /** Called when a wait is long. */
  #onLong: () => void = () => undefined;

  constructor(parts: WaitParts) {
    this.#parts = parts;
  }

  /**
   * Returns whether work that has just begun waits for long, so that the service should listen meanwhile; false when it has ended
   * before.
   */
  isLong(work: Promise<void>): Promise<boolean> {
    const long = new Promise<true>((resolve) => {
      this.#onLong = () => {
        resolve(true);
      };
    });
    return Promise.race([work.then(() => false), long]);
  }

  /**
   * Returns what is read before the service connects. If the database does not answer, the service listens, and this reads again until it
   * does; returns null when the service stops. Rejects with a ConfigError if the first attempt shows that none can succeed.
   */
  async untilRead<Result>(read: () => Promise<Result>): Promise<Result | null> {
    const { connection, observer, pause = 2_000 } = this.#parts;
    for (let isFirst = true; !connection.isStopping; isFirst = false) {
      try {
        return await read();
      } catch (error) {
        if (error instanceof ConfigError && isFirst) throw error;
        observer.observe({ kind: 'start postponed', reason: messageOf(error) });
      }
      this.#onLong();
      await waited(pause, connection.stopping);
    }
    return null;
  }

  /** Resolves when the unique indexes of all types are built, without which writes are refused. */
  async indexes({ backend }: Pick<RunningService, 'backend'>): Promise<void> {
    const { stopping } = this.#parts.connection;
    if (stopping.aborted) return;
    const end = this.#begin('unique indexes');
    const ended = new AbortController();
    const stop = once(stopping, 'abort', { signal: ended.signal }).catch(() => undefined);
    await Promise.race([backend.store.database.uniques.waitAll(null), stop]);
    ended.abort();
    end();
  }

  /**
   * Runs work. If it fails because the database does not answer, such as during an election, it runs again from its beginning when the
   * database answers: nothing else would run it before the next start. Rejects with its error otherwise.
   */
  async untilAnswered(place: string, run: () => unknown, most = Infinity): Promise<void> {
    const { connection, observer } = this.#parts;
    let end: (() => void) | null = null;
    try {
      for (let left = most; !connection.isStopping; left--) {
        const error = await refusalOf(run);
        if (error === null) return;
        if (left === 0) throw error;
        end ??= this.#begin('the database');
        observer.observe({ kind: 'code warned', text: `${place}: ${error.message}; it runs again` });
        await this.#answer();
      }
    } finally {
      end?.();
    }
  }

  /**
   * Runs the bootstrap code of a project while no other instance runs it, because such code creates what it does not find. Goes on after
   * a minute, if another instance takes longer.
   */
  async inTurn({ backend }: Pick<RunningService, 'backend'>, work: () => Promise<void>): Promise<void> {
    const { connection, observer } = this.#parts;
    const end = this.#begin('other instances');
    const run = async (): Promise<void> => {
      end();
      if (!connection.isStopping) await work();
    };
    const latest = performance.now() + turn.patience;
    try {
      do if (await this.#runs(backend, run)) return;
      while (performance.now() < latest && (await waited(turn.pause, connection.stopping)));
    } finally {
      end();
    }
    if (connection.isStopping) return;
    const text = 'another instance has run its bootstrap for a minute, so that of this one runs meanwhile';
    observer.observe({ kind: 'warned', topic: 'database', text });
    await run();
  }

  /** Runs work unless another instance runs its own. Returns whether it did. */
  async #runs({ store }: RunningService['backend'], work: () => Promise<void>): Promise<boolean> {
    const takenError = new Error('another instance runs its bootstrap');
    try {
      await this.untilAnswered('bootstrap', () => claim(store.database, 'bootstrap', { work, busy: () => takenError }));
      return true;
    } catch (error) {
      if (error !== takenError) throw error;
      return false;
    }
  }

  /** Resolves when the database answers, after a pause. */
  async #answer(): Promise<void> {
    const { connection, pause = 2_000 } = this.#parts;
    while (await waited(pause, connection.stopping)) {
      const { running } = connection;
      if (running === null || (await ping(running.backend.store.database).catch(() => false))) return;
    }
  }

  /** Notes that a wait begins. Returns the function to call when it ends. */
  #begin(cause: string): () => void {
    const { observer, patience } = this.#parts;
    const alarm = new Alarm(() => {
      observer.observe({
        kind: 'warned',
        topic: 'database',
        text: `bootstrap waits for ${cause}; the service listens meanwhile`,
      });
      this.#onLong();
    });
    alarm.set(patience);
    return () => void alarm.cancel();
  }
}

/** Runs work. Returns its error if the database did not answer; null if the work has ended. Rejects with other errors. */
async function refusalOf(run: () => unknown): Promise<Error | null> {
  try {
    await run();
    return null;
  } catch (error) {
    if (error instanceof Error && isUnavailable(error)) return error;
    throw error;
  }
}

/** Returns whether an error, or a cause of it, is a 503 of the service. A ConfigError is that of code that has run again before. */
function isUnavailable(error: unknown): boolean {
  if (error instanceof ApiError) return error.status === 503;
  if (error instanceof ConfigError) return false;
  return error instanceof Error && error.cause !== undefined && isUnavailable(error.cause);
}

/**
 * Resolves when what code of a project may reach for in Strapi v4 is there: the unique indexes, without which writes are refused, and the
 * default roles of administrators.
 */
export async function readyForCode(running: RunningService, waits: BootstrapWaits): Promise<void> {
  await waits.indexes(running);
  if (!running.config.admin.enabled) return;
  // loaded here, because a start without such code does without the panel
  const { createDefaultAdminRoles } = await import('#admin/rights/default-roles.js');
  await waits.untilAnswered('roles of administrators', () => createDefaultAdminRoles(contextOfCode(running)));
}
