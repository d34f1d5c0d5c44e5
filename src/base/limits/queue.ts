import { unavailableError } from '../errors.js';
import type { EndSignal } from './ending.js';
import type { TraceHeaders } from '../observe/trace-link.js';
import { Alarm } from './timers.js';

/** The origin of a piece of work. */
export interface Origin {
  /** The client, user or token that the work counts for; null if it counts for nobody. */
  readonly client: string | null;
  /** Aborted when the work is no longer needed. */
  readonly signal: EndSignal;
}

/** The sender of a piece of work. */
export interface Sender extends Origin {
  readonly client: string;
  /** Who sends it; absent if that is not asked for. */
  readonly caller?: { readonly kind: 'public' | 'user' | 'token' | 'administrator' | 'schedule'; readonly id: number | null };
  readonly requestId?: string | undefined;
  /** The program that acts for the caller, by the name that it says; absent if it is the caller's own. */
  readonly agent?: string;
  /** Headers that tell other services of the trace of the request, if there is one. */
  readonly trace?: TraceHeaders | undefined;
}

interface QueueBounds {
  /** Maximum number of concurrent pieces of work. */
  readonly atOnce: number;
  /** Maximum number of waiting pieces of work; unlimited if absent. */
  readonly waiting?: number;
  /** Maximum number of running and waiting pieces of work of one client; unlimited if absent. */
  readonly ofClient?: number;
  /** Maximum number of milliseconds that work waits; unlimited if absent. */
  readonly longest?: number;
  /** The message of the 503 if the queue is full, or work has waited too long. */
  readonly refusal?: string;
}

interface Waiting {
  readonly client: string | null;
  /** Time when it is refused, by `performance.now()`. All wait equally long, so that the first is the next to be refused. */
  readonly until: number;
  /** Lets the work begin, or refuses it. */
  readonly settle: (refusal?: Error) => void;
}

/**
 * Limits the number of concurrent pieces of work. The next one to run belongs to the client with the fewest running pieces; among
 * those clients, the one that has waited longest goes first. Work of the service itself has no sender, and may always wait.
 */
export class Queue {
  readonly #bounds: QueueBounds;
  /** In the order of their arrival. Null until there is one. */
  #waiting: Set<Waiting> | null = null;
  /** Number of running pieces by client; null until there is one. */
  #runningOf: Map<string, number> | null = null;
  #running = 0;
  #refusing: Alarm | null = null;

  constructor(bounds: QueueBounds) {
    this.#bounds = bounds;
  }

  /** Number of pieces of work that run, and that wait. */
  get size(): { readonly running: number; readonly waiting: number } {
    return { running: this.#running, waiting: this.#waiting?.size ?? 0 };
  }

  /** Whether no work runs or waits. */
  get isIdle(): boolean {
    return this.#running === 0;
  }

  /**
   * Runs work when its turn has come. Rejects with a 503 if the queue is full, if the work has waited too long, or if the sender's
   * signal is aborted before the work has begun.
   */
  async run<Result>(work: () => Promise<Result>, sender?: Origin): Promise<Result> {
    const turn = this.enter(sender);
    if (turn !== null) await turn;
    try {
      return await work();
    } finally {
      this.leave(sender);
    }
  }

  /** Returns null if work may begin now, otherwise a promise like that of `run`. The caller calls `leave` when the work has ended. */
  enter(sender?: Origin): Promise<void> | null {
    if (this.#running >= this.#bounds.atOnce) return this.#wait(sender);
    this.#begin(sender?.client ?? null);
    return null;
  }

  /** Ends work that has begun. */
  leave(sender?: Origin): void {
    this.#running -= 1;
    if (typeof sender?.client === 'string') this.#endOf(sender.client);
    const next = this.#waiting === null ? null : this.#firstOf(this.#waiting);
    if (next === null) return;
    this.#waiting?.delete(next);
    this.#begin(next.client);
    next.settle();
  }

  async #wait(sender: Origin | undefined): Promise<void> {
    if (sender?.signal.aborted === true) throw requestEnded();
    if (sender !== undefined && this.#isFull(sender)) throw this.#refusal();
    return new Promise((resolve, reject) => {
      this.#add(sender, (error) => {
        if (error === undefined) resolve();
        else reject(error);
      });
    });
  }

  #isFull({ client }: Origin): boolean {
    const { waiting = Infinity, ofClient = Infinity } = this.#bounds;
    const places = this.#waiting ?? none;
    if (places.size >= waiting) return true;
    if (ofClient === Infinity) return false;
    return [...places].filter((other) => other.client === client).length + this.#runningBy(client) >= ofClient;
  }

  #refusal(): Error {
    return unavailableError(this.#bounds.refusal);
  }

  #add(sender: Origin | undefined, settle: Waiting['settle']): void {
    const { longest } = this.#bounds;
    const places = (this.#waiting ??= new Set());
    const giveUp = (): void => {
      places.delete(place);
      settle(requestEnded());
    };
    const place: Waiting = {
      client: sender?.client ?? null,
      until: sender === undefined || longest === undefined ? Infinity : performance.now() + longest,
      settle: (error) => {
        sender?.signal.removeEventListener('abort', giveUp);
        settle(error);
      },
    };
    places.add(place);
    sender?.signal.addEventListener('abort', giveUp);
    if (longest !== undefined) (this.#refusing ??= new Alarm(() => this.#refuseLate(), { ref: false })).set(longest);
  }

  #refuseLate(): void {
    for (const place of this.#waiting ?? none) {
      const left = place.until - performance.now();
      if (left > 0) {
        if (left < Infinity) this.#refusing?.set(left);
        return;
      }
      this.#waiting?.delete(place);
      place.settle(this.#refusal());
    }
  }

  #runningBy(client: string | null): number {
    return client === null ? 0 : (this.#runningOf?.get(client) ?? 0);
  }

  #begin(client: string | null): void {
    this.#running += 1;
    if (client !== null) (this.#runningOf ??= new Map<string, number>()).set(client, this.#runningBy(client) + 1);
  }

  #endOf(client: string): void {
    const left = this.#runningBy(client) - 1;
    if (left > 0) this.#runningOf?.set(client, left);
    else this.#runningOf?.delete(client);
  }

  #firstOf(places: ReadonlySet<Waiting>): Waiting | null {
    let next: Waiting | null = null;
    let fewest = Infinity;
    for (const place of places) {
      const running = this.#runningBy(place.client);
      if (running < fewest) [next, fewest] = [place, running];
      if (fewest === 0) break;
    }
    return next;
  }
}

const none: ReadonlySet<Waiting> = new Set();

const requestEnded = () => unavailableError('The request has ended');

let last: Promise<void> = Promise.resolve();

/**
 * Resolves in a later turn of the event loop, for one caller per turn. This lets other requests proceed between two pieces of
 * long work, even if many requests do such work.
 */
export function nextTurn(): Promise<void> {
  last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
  return last;
}
