import { unavailableError } from './errors.js';

interface SharedBounds {
  /** Bytes that all requests together may hold. */
  readonly most: number;
  /** Bytes of each request that do not count, so that small requests always pass. */
  readonly free: number;
  /** The message of the 503 for a request that would hold too much. */
  readonly refusal: string;
}

/** The end of a request: `closed` is true once nobody waits for its answer. A response of Node is one. */
interface Ending {
  readonly closed: boolean;
  once(event: 'close', listener: () => void): unknown;
}

/** Bytes that are counted at a time. */
const step = 65_536;

/** The memory that all requests of the process together hold for one purpose. */
export class SharedBytes {
  readonly bounds: SharedBounds;
  #held = 0;

  constructor(bounds: SharedBounds) {
    this.bounds = bounds;
  }

  /** Bytes that count at present. */
  get held(): number {
    return this.#held;
  }

  /** Counts more bytes of a request that holds `own` already. Throws 503 if it would be too many; a request alone always passes. */
  take(bytes: number, own: number): void {
    if (this.#held > own && this.#held + bytes > this.bounds.most) throw unavailableError(this.bounds.refusal);
    this.#held += bytes;
  }

  /** Counts fewer bytes. */
  give(bytes: number): void {
    this.#held -= bytes;
  }
}

/** The part of shared bytes that one request holds. */
export class HeldBytes {
  readonly #shared: SharedBytes;
  readonly #ending: Ending;
  #bytes = 0;
  /** Those that count. */
  #taken = 0;
  #isReleased = false;

  constructor(shared: SharedBytes, ending: Ending) {
    this.#shared = shared;
    this.#ending = ending;
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
    if (!this.areMany || this.#ending.closed) this.release();
    else
      this.#ending.once('close', () => {
        this.release();
      });
  }

  #take(): void {
    if (this.#isReleased || this.#ending.closed) throw unavailableError('The request has ended');
    const { free } = this.#shared.bounds;
    const wanted = Math.ceil((this.#bytes - free) / step) * step;
    this.#shared.take(wanted - this.#taken, this.#taken);
    this.#taken = wanted;
  }

  #giveBack(): void {
    this.#shared.give(this.#taken);
    this.#taken = 0;
  }
}
