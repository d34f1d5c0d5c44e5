import { Queue } from '#base/limits/queue.js';
import { every } from '#base/limits/timers.js';
import type { RunningService } from '#http/running.js';
import { syncService } from '../../sync/service.js';
import type { LiveClient } from './client.js';
import { LiveGroup } from './live-group.js';
import type { LiveMessage } from './live-answer.js';
import { LiveQuery } from './live-query.js';
import type { LiveEndpoint, LiveOperation } from './operation.js';
import type { Outbox } from './outbox.js';

/** What is called every 15 s. */
type Beat = () => void;

const beatInterval = 15_000;

const refusal = 'Too many live queries are read, please try again later';

/** All live queries, and the beats of their connections. */
class LiveQueries {
  readonly #running: RunningService;
  readonly #groups = new Map<string, LiveGroup>();
  readonly #watched = new Set<string>();
  readonly #queue = new Queue({ atOnce: 16, waiting: 10_000, refusal });
  readonly #beats = new Set<Beat>();
  #stop: (() => void) | null = null;

  constructor(running: RunningService) {
    this.#running = running;
    syncService(running).rechecks.add((isAffected) => {
      for (const group of this.#groups.values()) void group.recheck(isAffected);
    });
  }

  /** Begins a live query. Returns its results. */
  open(operation: LiveOperation, client: LiveClient, endpoint: LiveEndpoint): Outbox<LiveMessage> {
    const onReturn = (): void => {
      const group = this.#groups.get(query.key);
      group?.leave(query);
      if (group?.isOver === true) this.#groups.delete(query.key);
    };
    const query = new LiveQuery({ operation, client, endpoint, onReturn });
    const group = this.#groups.get(query.key) ?? this.#newGroup();
    this.#groups.set(query.key, group);
    group.join(query);
    return query.outbox;
  }

  /** Calls a function every 15 s. Returns what ends that. */
  beat(beat: Beat): () => void {
    this.#beats.add(beat);
    this.#stop ??= every(beatInterval, () => {
      this.#tick();
    });
    return () => void this.#beats.delete(beat);
  }

  #tick(): void {
    if (this.#beats.size === 0) {
      this.#stop?.();
      this.#stop = null;
    }
    for (const beat of [...this.#beats]) beat();
    for (const group of this.#groups.values()) void group.recheck(); // tokens may have expired
  }

  #newGroup(): LiveGroup {
    const { limiter, backend } = this.#running;
    const watch = (collections: readonly string[]): void => {
      this.#watch(collections);
    };
    return new LiveGroup({
      changes: backend.store.changes,
      limiter,
      watch,
      run: (work, sender) => this.#queue.run(work, sender),
    });
  }

  /** Hears of the changes of collections from now on. There are as many as the models have. */
  #watch(collections: readonly string[]): void {
    for (const collection of collections) {
      if (this.#watched.has(collection)) continue;
      this.#watched.add(collection);
      this.#running.backend.store.changes.onChange([collection], () => {
        for (const group of this.#groups.values()) group.noteChange(collection);
      });
    }
  }
}

const services = new WeakMap<RunningService['backend'], LiveQueries>();

/** Returns the live queries of a service. */
export function liveQueries(running: RunningService): LiveQueries {
  const service = services.get(running.backend) ?? new LiveQueries(running);
  services.set(running.backend, service);
  return service;
}
