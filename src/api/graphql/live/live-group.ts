import { ApiError } from '#base/errors.js';
import { Alarm } from '#base/limits/timers.js';
import type { RunningService } from '#http/running.js';
import type { ChangeBus } from '#store/changes/changes.js';
import type { Sender } from '#base/limits/queue.js';
import { LiveAnswer } from './live-answer.js';
import type { LiveQuery, Reading } from './live-query.js';

/** What groups share. */
interface GroupParts {
  readonly changes: ChangeBus;
  readonly limiter: RunningService['limiter'];
  /** Lets the group hear of changes of collections. */
  readonly watch: (collections: readonly string[]) => void;
  /** Runs a reading when it is its turn. */
  readonly run: <Result>(work: () => Promise<Result>, sender: Sender) => Promise<Result>;
}

/** Milliseconds for which changes are gathered, and between two readings. */
const gatherTime = 50;
const readInterval = 250;

/** Equal queries of equal callers, which are read once. */
export class LiveGroup {
  readonly #parts: GroupParts;
  readonly #members = new Set<LiveQuery>();
  readonly #alarm = new Alarm(() => void this.#read(), { ref: false });
  #answer: LiveAnswer | null = null;
  #reading: Reading | null = null;
  #collections: ReadonlySet<string> = new Set();
  #isReading = false;
  /** Whether something has changed since the last reading began. */
  #isStale = true;
  /** How often the rights of the callers may have changed. */
  #rechecks = 0;
  /** When the last reading has ended, or the next interval of the sender begins. */
  #readAt = 0;

  constructor(parts: GroupParts) {
    this.#parts = parts;
  }

  get isOver(): boolean {
    return this.#members.size === 0;
  }

  /** Adds a query, which is sent the answer as soon as it is known. */
  join(query: LiveQuery): void {
    this.#members.add(query);
    if (this.#answer !== null && !this.#isReading && this.#isCurrentFor(query)) query.show(this.#answer);
    else if (!this.#isReading) void this.#read();
  }

  leave(query: LiveQuery): void {
    this.#members.delete(query);
    if (this.isOver) this.#alarm.cancel();
  }

  /** Reads again soon if the answer was read from a collection. */
  noteChange(collection: string): void {
    if (this.#collections.has(collection)) this.#schedule();
  }

  /** Identifies the callers again, and reads again if they see something else now. `isAffected` says whose rights may have changed. */
  async recheck(isAffected: (one: LiveQuery['client']) => boolean = () => true): Promise<void> {
    const [first] = this.#members;
    if (first === undefined || !isAffected(first.client)) return;
    this.#rechecks += 1;
    if (this.#reading === null) return; // the first reading compares the rights at its end
    try {
      if (await hasOtherRights(first, this.#reading)) this.#schedule();
    } catch (error) {
      this.#fail(first, error);
    }
  }

  /** Returns whether a query that was just accepted would be answered the same. */
  #isCurrentFor({ client: { call } }: LiveQuery): boolean {
    const { changes } = this.#parts;
    const reading = this.#reading;
    if (this.#isStale || reading === null || call.caller.access !== reading.access) return false;
    return changes.isUnchanged(reading.reads.collections, reading.reads.begun);
  }

  #schedule(): void {
    this.#isStale = true;
    if (!this.#isReading) this.#alarm.set(Math.max(gatherTime, this.#readAt + readInterval - performance.now()));
  }

  async #read(): Promise<void> {
    const [first] = this.#members;
    if (first === undefined || this.#isReading) return;
    this.#isReading = true;
    try {
      const wait = await this.#waitOf(first);
      if (wait === 0) await this.#readBy(first);
      this.#readAt = performance.now() + wait;
    } catch (error) {
      this.#isStale = true;
      this.#readAt = performance.now();
      this.#fail(first, error);
    } finally {
      this.#isReading = false;
      if (this.#isStale && !this.isOver) this.#schedule();
    }
  }

  async #readBy(query: LiveQuery): Promise<void> {
    const { changes, watch, run } = this.#parts;
    let rechecks = this.#rechecks;
    this.#isStale = false;
    const reading = await run(() => query.read(), query.client.sender);
    while (this.#rechecks !== rechecks) {
      rechecks = this.#rechecks; // they may change again while they are compared
      if (!(await hasOtherRights(query, reading))) continue;
      this.#isStale = true;
      return;
    }
    const { collections, begun } = reading.reads;
    watch(collections);
    this.#collections = new Set(collections);
    this.#reading = reading;
    this.#isStale ||= changes.isListening && !changes.isUnchanged(collections, begun);
    const answer = new LiveAnswer(reading.result);
    if (this.#answer?.equals(answer) !== true) this.#answer = answer;
    for (const member of this.#members) member.show(this.#answer ?? answer);
  }

  /**
   * Charges the sender for a reading; the first one was paid by the request. Returns the milliseconds until it may be done, if there were
   * too many.
   */
  async #waitOf({ client: { sender } }: LiveQuery): Promise<number> {
    const { limiter } = this.#parts;
    if (limiter === null || this.#answer === null) return 0;
    const { isOver, resetsAt } = await limiter.countAgain(sender);
    return isOver ? Math.max(1_000 * resetsAt - Date.now(), readInterval) : 0;
  }

  /** Ends the connections of all members that an error concerns: those whose credentials are no longer valid, or only the reader's. */
  #fail(reader: LiveQuery, error: unknown): void {
    if (!this.#members.has(reader)) return; // it has left meanwhile, so that nobody has waited for this
    const isOfAll = error instanceof ApiError && error.status < 500;
    for (const member of isOfAll ? [...this.#members] : [reader]) {
      member.client.fail(error);
      member.outbox.end();
      this.#members.delete(member);
    }
  }
}

/** Returns whether the caller of a query has other rights now than when it was read. Throws an ApiError if it may not read any more. */
async function hasOtherRights(query: LiveQuery, { access, registry }: Reading): Promise<boolean> {
  const { caller, content } = await query.identify();
  return caller.access !== access || content.bind.registry !== registry;
}
