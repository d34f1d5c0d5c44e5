import type { Failure } from '../failure.js';
import { pause } from '../transport.js';
import type { Keeper } from './keeper.js';
import { pauseAfter, pull } from './pull.js';
import { pushAll } from './push.js';
import type { OfflineStatus } from './types.js';

/** Seconds that a request waits for a change. */
const longPoll = 25;

interface Events {
  addEventListener?(type: string, listener: () => void): void;
  removeEventListener?(type: string, listener: () => void): void;
}

/** Pulls and pushes while it runs; in one tab for all. */
export class Syncing {
  readonly #keeper: Keeper;
  readonly #types: readonly string[];
  /** How far the copies have come; empty for one that begins anew. */
  readonly #positions = new Map<string, string>();
  readonly #closing = new AbortController();
  /** Ends when the user or the network changes. */
  #turn = new AbortController();
  #isLeading = false;
  #isWoken = false;
  #pushing: Promise<void> | null = null;
  #ended: Promise<void> | null = null;
  #forget?: () => void;

  constructor(keeper: Keeper, types: readonly string[]) {
    this.#keeper = keeper;
    this.#types = types;
  }

  /** Hears of log-ins and the network; pulls and pushes if it is told to. */
  start(isAutomatic: boolean): void {
    const events = globalThis as Events;
    const restart = (): void => {
      this.#turn.abort();
      this.#turn = new AbortController();
      this.#keeper.held().catch(() => undefined); // whoever asks next is told
    };
    const forget = this.#keeper.client.onSession(restart);
    events.addEventListener?.('online', restart);
    this.#forget = () => {
      forget();
      events.removeEventListener?.('online', restart);
    };
    if (isAutomatic) this.#ended = this.#lead();
  }

  /** Pushes soon, if this tab is the one that does. */
  wake(): void {
    this.#isWoken = true;
    if (!this.#isLeading) return;
    this.#pushing ??= this.#pushWhileWoken().finally(() => {
      this.#pushing = null;
    });
  }

  /** Sends what can be sent. */
  readonly push = async (): Promise<void> => {
    const held = await this.#keeper.held();
    if (held.queue().ready[0]) await this.#noted(pushAll(this.#keeper, this.#positions, this.#closing.signal));
  };

  /** Brings the copies up to date. */
  readonly pull = (): Promise<void> => this.#noted(this.#pullTypes(this.#closing.signal, 0));

  readonly status = async (): Promise<OfflineStatus> => {
    const writes = (await this.#keeper.held()).sorted();
    const count = (state: string): number => writes.filter((write) => write.state === state).length;
    return {
      ...this.#keeper.standing,
      isCurrent: this.#types.every((type) => this.#positions.get(type)),
      pending: count('pending'),
      conflicts: count('conflict'),
      refused: count('refused'),
    };
  };

  readonly close = async (): Promise<void> => {
    this.#forget?.();
    this.#closing.abort();
    this.#turn.abort();
    await this.#ended;
    await this.#pushing;
    await this.#keeper.close();
  };

  /** Notes whether a request was answered. */
  async #noted(request: Promise<unknown>): Promise<void> {
    try {
      await request;
      this.#keeper.stand(null);
    } catch (error) {
      if ((error as Failure).kind !== 'aborted') this.#keeper.stand(error as Failure);
      throw error;
    }
  }

  /** Follows all types while this tab is the first one, and the user the same. */
  async #lead(): Promise<void> {
    const { tabs } = this.#keeper;
    for (let failures = 0; !this.#closing.signal.aborted;) {
      const { signal } = this.#turn;
      try {
        await this.#keeper.held();
        await tabs.alone(`leader ${this.#keeper.owner}`, () => this.#follow(signal), signal);
        failures = 0;
      } catch {
        failures += 1; // the store has failed, or the turn has ended
        await pause(pauseAfter(failures), signal);
      }
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    this.#isLeading = true;
    this.wake();
    await this.#pullTypes(signal, longPoll).finally(() => {
      this.#isLeading = false;
    });
  }

  async #pullTypes(signal: AbortSignal, wait: number): Promise<void> {
    const keeper = this.#keeper;
    const types = this.#types;
    await keeper.held();
    const { owner } = keeper;
    const pulls = types.map((type) => {
      const onPosition = (position: string): void => {
        const isNew = !position !== !this.#positions.get(type);
        this.#positions.set(type, position);
        if (isNew) keeper.onChange(false);
        this.wake(); // what waits may be possible now
      };
      return pull({ type, types, keeper, owner, signal, wait, onPosition });
    });
    for (const result of await Promise.allSettled(pulls)) if (result.status === 'rejected') throw result.reason;
  }

  /** Pushes, and again if there is more then. After a failure it waits longer each time. */
  async #pushWhileWoken(): Promise<void> {
    for (let failures = 0; this.#isWoken && this.#isLeading;) {
      const { signal } = this.#turn;
      this.#isWoken = false;
      try {
        await this.push();
        failures = 0;
      } catch {
        failures += 1;
        this.#isWoken = true;
        await pause(pauseAfter(failures), signal);
      }
    }
  }
}
