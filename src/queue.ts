import { unavailableError } from './errors.js';

/** The sender of a piece of work. */
export interface Sender {
  /** The client, user or token that the work counts for. */
  readonly client: string;
  /** Aborted when the work is no longer needed. */
  readonly signal: AbortSignal;
}

interface QueueBounds {
  /** Maximum number of concurrent pieces of work. */
  readonly atOnce: number;
  /** Maximum number of waiting pieces of work; unlimited if absent. */
  readonly waiting?: number;
  /** Maximum number of running and waiting pieces of work of one client; unlimited if absent. */
  readonly ofClient?: number;
  /** The message of the 503 if the queue is full. */
  readonly refusal?: string;
}

interface Waiting {
  readonly client: string | null;
  readonly begin: () => void;
}

/**
 * Limits the number of concurrent pieces of work. The next one to run belongs to the client with the fewest running pieces; among
 * those clients, the one that has waited longest goes first. Work of the service itself has no sender, and may always wait.
 */
export class Queue {
  readonly #bounds: QueueBounds;
  readonly #waiting: Waiting[] = [];
  /** Number of running pieces by client; null until there is one. */
  #runningOf: Map<string, number> | null = null;
  #running = 0;

  constructor(bounds: QueueBounds) {
    this.#bounds = bounds;
  }

  /** Whether no work runs or waits. */
  get isIdle(): boolean {
    return this.#running === 0;
  }

  /**
   * Runs work when its turn has come. Rejects with a 503 if the queue is full, or if the sender's signal is aborted before the
   * work has begun.
   */
  async run<Result>(work: () => Promise<Result>, sender?: Sender): Promise<Result> {
    if (this.#running >= this.#bounds.atOnce) await this.#wait(sender);
    else this.#begin(sender?.client ?? null);
    try {
      return await work();
    } finally {
      this.#end(sender?.client ?? null);
    }
  }

  #wait(sender: Sender | undefined): Promise<void> {
    if (sender === undefined) return new Promise((resolve) => this.#waiting.push({ client: null, begin: resolve }));
    const { client, signal } = sender;
    const { waiting = Infinity, ofClient = Infinity, refusal } = this.#bounds;
    if (signal.aborted) throw requestEnded();
    if (this.#waiting.length >= waiting || this.#countOf(client) >= ofClient) throw unavailableError(refusal);
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(place), 1);
        reject(requestEnded());
      };
      const begin = (): void => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      const place: Waiting = { client, begin };
      this.#waiting.push(place);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  #countOf(client: string): number {
    return this.#waiting.filter((other) => other.client === client).length + this.#runningBy(client);
  }

  #runningBy(client: string | null): number {
    return client === null ? 0 : (this.#runningOf?.get(client) ?? 0);
  }

  #begin(client: string | null): void {
    this.#running += 1;
    if (client !== null) (this.#runningOf ??= new Map<string, number>()).set(client, this.#runningBy(client) + 1);
  }

  #end(client: string | null): void {
    this.#running -= 1;
    if (client !== null) this.#endOf(client);
    if (this.#waiting.length === 0) return;
    const next = this.#takeNext();
    if (next === undefined) return;
    this.#begin(next.client);
    next.begin();
  }

  #endOf(client: string): void {
    const left = this.#runningBy(client) - 1;
    if (left > 0) this.#runningOf?.set(client, left);
    else this.#runningOf?.delete(client);
  }

  #takeNext(): Waiting | undefined {
    if (this.#runningOf === null || this.#runningOf.size === 0) return this.#waiting.shift();
    const fewest = Math.min(...this.#waiting.map(({ client }) => this.#runningBy(client)));
    const index = this.#waiting.findIndex(({ client }) => this.#runningBy(client) === fewest);
    return index === -1 ? undefined : this.#waiting.splice(index, 1)[0];
  }
}

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
