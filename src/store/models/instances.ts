import { setTimeout as delay } from 'node:timers/promises';
import { collections } from '#model/schema/collections.js';
import { type Change, type ChangeBus, longestSilence } from '../changes/changes.js';
import type { ModelWork } from './model-status.js';

/** Milliseconds between two looks for others while some are known, because they may have ended without telling. */
const pace = 10_000;

/** Milliseconds by which the clocks of two instances may differ in a second. */
const tolerance = 100;

/**
 * Which instances of the service run, as far as this one knows. Each announces itself in `_model_status` before it answers requests, and
 * removes its states when it stops.
 */
export class Instances {
  readonly #work: ModelWork;
  readonly #changes: ChangeBus;
  /** When it was found, by `performance.now()`, that no other instance runs; infinite if others do, or that is unknown. */
  #aloneSince = Infinity;
  /** The number of the last look. */
  #lookCount = 0;
  #announcedAt = -Infinity;

  constructor(work: ModelWork, changes: ChangeBus) {
    this.#work = work;
    this.#changes = changes;
    const { database, jobs, status } = work;
    if (!database.isReplicated || database.isSharded) return; // others are not heard of within a second
    const isOwn = (change: Change): boolean => 'ids' in change && !!change.ids && status.areOwn(change.ids);
    changes.onChange([collections.modelStatus], (change) => {
      if (!isOwn(change)) void this.#look().catch(() => undefined); // the job looks again
    });
    const failure = 'it is unknown whether other instances run';
    const run = (): Promise<void> => (this.#aloneSince < Infinity ? Promise.resolve() : this.#look());
    jobs.start({ name: 'instances', every: pace, failure, run });
  }

  /** Whether no other instance answers requests, and all writes of former ones are known. */
  get isAlone(): boolean {
    return this.#changes.hasHeardSince(this.#aloneSince);
  }

  /** Lets other instances know of this one. */
  async announce(): Promise<void> {
    await this.#work.status.announce();
    this.#announcedAt = performance.now();
  }

  /**
   * Resolves when no other instance takes itself for the only one. They hear of this one, or have not heard from the change stream for a
   * second and do not trust what they know.
   */
  async introduced(): Promise<void> {
    if (!(await this.#work.status.hasOthers())) return;
    const left = this.#announcedAt + longestSilence + tolerance - performance.now();
    if (left > 0) await delay(left);
  }

  async #look(): Promise<void> {
    this.#aloneSince = Infinity;
    const look = ++this.#lookCount;
    const hasOthers = await this.#work.status.hasOthers();
    if (look === this.#lookCount && !hasOthers) this.#aloneSince = performance.now();
  }
}
