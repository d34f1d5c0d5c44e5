import { unavailableError } from './errors.js';

interface SharedBounds {
  /** Bytes that all requests together may use. */
  readonly max: number;
  /** Bytes of each request that do not count, so that small requests always pass. */
  readonly free: number;
  /** The message of the 503 for a request that needs more than is left. */
  readonly refusal: string;
}

/** The request that bytes are counted for. */
export interface Holder {
  /** The client that its bytes count for. Read with the first bytes that count. */
  readonly client: string;
  /** Its end: `closed` is true once nobody waits for its answer. A response of Node is one. */
  readonly response: { readonly closed: boolean; once(event: 'close', listener: () => void): unknown };
}

/** Bytes that are counted at a time. */
const step = 65_536;

/** Milliseconds for which each client is limited to its share after another one was refused. */
const contested = 10_000;

/**
 * Counts the memory that all requests of the process use for one purpose. A client may use half of it at most while others use some, and
 * for ten seconds after one of them was refused.
 */
export class SharedBytes {
  readonly bounds: SharedBounds;
  #held = 0;
  /** The bytes of each client that uses any. */
  readonly #heldOf = new Map<string, number>();
  #contestedUntil = 0;

  constructor(bounds: SharedBounds) {
    this.bounds = bounds;
  }

  /** Bytes that count at present. */
  get held(): number {
    return this.#held;
  }

  /**
   * Counts more bytes of a request, which has `own` already. Throws a 503 if all requests would then exceed the bound, or the client its
   * share. A request is never refused if it is the only one.
   */
  take(bytes: number, own: number, client: string): void {
    const { max, refusal } = this.bounds;
    const ofClient = this.#heldOf.get(client) ?? 0;
    const exceedsShare = ofClient > own && ofClient + bytes > max / 2;
    const exceedsAll = this.#held > own && this.#held + bytes > max;
    if (exceedsAll && !exceedsShare) this.#contestedUntil = performance.now() + contested;
    if (exceedsAll || (exceedsShare && this.#isContested(ofClient))) throw unavailableError(refusal);
    this.#held += bytes;
    this.#heldOf.set(client, ofClient + bytes);
  }

  /** Counts fewer bytes of a client. */
  give(bytes: number, client: string): void {
    this.#held -= bytes;
    const left = (this.#heldOf.get(client) ?? 0) - bytes;
    if (left > 0) this.#heldOf.set(client, left);
    else this.#heldOf.delete(client);
  }

  #isContested(ofClient: number): boolean {
    return this.#held > ofClient || performance.now() < this.#contestedUntil;
  }
}

/** The part of shared bytes that one request uses. */
export class HeldBytes {
  readonly #shared: SharedBytes;
  readonly #holder: Holder;
  #client = '';
  #bytes = 0;
  /** The bytes that are counted in the shared ones: those beyond the free ones, in whole steps. */
  #taken = 0;
  #isReleased = false;

  constructor(shared: SharedBytes, holder: Holder) {
    this.#shared = shared;
    this.#holder = holder;
  }

  /** Whether the request uses more than what is free for each. */
  get areMany(): boolean {
    return this.#taken > 0;
  }

  /** Adds bytes. Throws a 503 if all requests together would use too many, or if this request has ended. */
  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#shared.bounds.free + this.#taken) this.#take();
  }

  /** Replaces the number of bytes. Throws as `add` does. */
  set(bytes: number): void {
    this.#bytes = 0;
    this.#giveBack();
    this.add(bytes);
  }

  /** Releases all bytes. Further ones are refused. */
  release(): void {
    this.#isReleased = true;
    this.#giveBack();
  }

  /** Releases all bytes when the answer is sent or its connection is closed. */
  releaseAtEnd(): void {
    if (!this.areMany || this.#holder.response.closed) this.release();
    else
      this.#holder.response.once('close', () => {
        this.release();
      });
  }

  #take(): void {
    if (this.#isReleased || this.#holder.response.closed) throw unavailableError('The request has ended');
    const { free } = this.#shared.bounds;
    const wanted = Math.ceil((this.#bytes - free) / step) * step;
    if (this.#taken === 0) this.#client = this.#holder.client;
    this.#shared.take(wanted - this.#taken, this.#taken, this.#client);
    this.#taken = wanted;
  }

  #giveBack(): void {
    if (this.#taken > 0) this.#shared.give(this.#taken, this.#client);
    this.#taken = 0;
  }
}
