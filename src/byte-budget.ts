import { unavailableError } from './errors.js';

interface BudgetBounds {
  /** Bytes that all requests together may use. */
  readonly max: number;
  /** Bytes of each request that do not count, so that small requests always pass. */
  readonly free: number;
  /** The message of the 503 for a request that needs more than is left. */
  readonly refusal: string;
}

/** The request that reserves bytes. */
export interface ReservationOwner {
  /** The client that its bytes count for. Read when its first bytes are reserved. */
  readonly client: string;
  /** Its end: `closed` is true once its connection is closed or its answer sent. A response of Node is one. */
  readonly response: { readonly closed: boolean; once(event: 'close', listener: () => void): unknown };
}

/** Bytes that are reserved at a time. */
const step = 65_536;

/** Milliseconds for which each client is limited to its share after another one was refused. */
const contested = 10_000;

/**
 * Bounds the memory that all requests of the process use for one purpose. A client may use half of it at most while others use some, and
 * for ten seconds after one of them was refused.
 */
export class ByteBudget {
  readonly bounds: BudgetBounds;
  #reserved = 0;
  /** The bytes of each client that has reserved any. */
  readonly #reservedBy = new Map<string, number>();
  #contestedUntil = 0;

  constructor(bounds: BudgetBounds) {
    this.bounds = bounds;
  }

  /** Bytes that are reserved at present. */
  get reserved(): number {
    return this.#reserved;
  }

  /**
   * Reserves more bytes for a request, which has `own` already. Throws a 503 if all requests would then exceed the bound, or the client its
   * share. A request is never refused if it is the only one.
   */
  reserve(bytes: number, own: number, client: string): void {
    const { max, refusal } = this.bounds;
    const ofClient = this.#reservedBy.get(client) ?? 0;
    const exceedsShare = ofClient > own && ofClient + bytes > max / 2;
    const exceedsAll = this.#reserved > own && this.#reserved + bytes > max;
    if (exceedsAll && !exceedsShare) this.#contestedUntil = performance.now() + contested;
    if (exceedsAll || (exceedsShare && this.#isContested(ofClient))) throw unavailableError(refusal);
    this.#reserved += bytes;
    this.#reservedBy.set(client, ofClient + bytes);
  }

  /** Returns bytes of a client. */
  release(bytes: number, client: string): void {
    this.#reserved -= bytes;
    const left = (this.#reservedBy.get(client) ?? 0) - bytes;
    if (left > 0) this.#reservedBy.set(client, left);
    else this.#reservedBy.delete(client);
  }

  #isContested(ofClient: number): boolean {
    return this.#reserved > ofClient || performance.now() < this.#contestedUntil;
  }
}

/** The bytes of a budget that one request has reserved. */
export class ByteReservation {
  readonly #budget: ByteBudget;
  readonly #owner: ReservationOwner;
  #client = '';
  #bytes = 0;
  /** The bytes that are reserved in the budget: those beyond the free ones, in whole steps. */
  #reserved = 0;
  #isReleased = false;

  constructor(budget: ByteBudget, owner: ReservationOwner) {
    this.#budget = budget;
    this.#owner = owner;
  }

  /** Bytes that the request uses. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether the request uses more than the free bytes of each. */
  get isCounted(): boolean {
    return this.#reserved > 0;
  }

  /** Adds bytes. Throws a 503 if all requests together would use too many, or if this request has ended. */
  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#budget.bounds.free + this.#reserved) this.#reserve();
  }

  /** Replaces the number of bytes. Throws as `add` does. */
  set(bytes: number): void {
    this.#bytes = 0;
    this.#returnAll();
    this.add(bytes);
  }

  /** Releases all bytes. Further ones are refused. */
  release(): void {
    this.#isReleased = true;
    this.#returnAll();
  }

  /** Releases all bytes when the answer is sent or its connection is closed. */
  releaseAtEnd(): void {
    if (!this.isCounted || this.#owner.response.closed) this.release();
    else
      this.#owner.response.once('close', () => {
        this.release();
      });
  }

  #reserve(): void {
    if (this.#isReleased || this.#owner.response.closed) throw unavailableError('The request has ended');
    const { free } = this.#budget.bounds;
    const wanted = Math.ceil((this.#bytes - free) / step) * step;
    if (this.#reserved === 0) this.#client = this.#owner.client;
    this.#budget.reserve(wanted - this.#reserved, this.#reserved, this.#client);
    this.#reserved = wanted;
  }

  #returnAll(): void {
    if (this.#reserved > 0) this.#budget.release(this.#reserved, this.#client);
    this.#reserved = 0;
  }
}
