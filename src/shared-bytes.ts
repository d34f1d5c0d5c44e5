import { unavailableError } from './errors.js';

interface SharedBounds {
  /** Bytes that all requests together may hold. */
  readonly max: number;
  /** Bytes of each request that do not count, so that small requests always pass. */
  readonly free: number;
  /** The message of the 503 for a request that would hold too much. */
  readonly refusal: string;
}

/** The request that holds bytes. */
export interface Holder {
  /** The client that its bytes count for. Read with the first bytes that count. */
  readonly client: string;
  /** Its end: `closed` is true once nobody waits for its answer. A response of Node is one. */
  readonly response: { readonly closed: boolean; once(event: 'close', listener: () => void): unknown };
}

/** Bytes that are counted at a time. */
const step = 65_536;

/** Milliseconds for which clients keep to their share after another one was refused. */
const contested = 10_000;

/**
 * The memory that all requests of the process together hold for one purpose. A client has half of it at most while others hold some or
 * were refused.
 */
export class SharedBytes {
  readonly bounds: SharedBounds;
  #held = 0;
  /** Those of each client that holds any. */
  readonly #heldOf = new Map<string, number>();
  #contestedUntil = 0;

  constructor(bounds: SharedBounds) {
    this.bounds = bounds;
  }

  /** Bytes that count at present. */
  get held(): number {
    return this.#held;
  }

  /** Counts more bytes of a client's request that holds `own` already. Throws 503 if it would be too many; a request alone always passes. */
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

/** The part of shared bytes that one request holds. */
export class HeldBytes {
  readonly #shared: SharedBytes;
  readonly #holder: Holder;
  #client = '';
  #bytes = 0;
  /** Those that count. */
  #taken = 0;
  #isReleased = false;

  constructor(shared: SharedBytes, holder: Holder) {
    this.#shared = shared;
    this.#holder = holder;
  }

  /** Whether the request holds more than is free. */
  get areMany(): boolean {
    return this.#taken > 0;
  }

  /** Holds more. Throws 503 if all requests together would hold too much, and if nobody waits for this one any more. */
  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#shared.bounds.free + this.#taken) this.#take();
  }

  /** Holds this many from now on, instead of what it has held. Throws as `add` does. */
  set(bytes: number): void {
    this.#bytes = 0;
    this.#giveBack();
    this.add(bytes);
  }

  /** Holds nothing any more, and takes nothing. */
  release(): void {
    this.#isReleased = true;
    this.#giveBack();
  }

  /** Releases what is held when the request has ended. */
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
