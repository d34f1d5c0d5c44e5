import { unavailableError } from '../errors.js';
import type { Response } from './ending.js';

interface BudgetBounds {
  /** Maximum number of bytes for all requests together. */
  readonly max: number;
  /** Number of bytes per request that are not counted, so that small requests always pass. */
  readonly free: number;
  /** The message of the 503 for a request that needs more than is left. */
  readonly refusal: string;
}

/** The request that reserves bytes. */
export interface ReservationOwner {
  /** The client that the bytes count for. Read when the first bytes are reserved. */
  readonly client: string;
  readonly response: Response;
}

/** Unit of reservations, in bytes. */
const step = 65_536;

/** Milliseconds during which each client is limited to its share after another client was refused. */
const contested = 10_000;

/**
 * Limits the memory that all requests of the process use for one purpose. While other clients use some of it, and for ten seconds
 * after one was refused, a client may use at most half.
 */
export class ByteBudget {
  readonly bounds: BudgetBounds;
  #reserved = 0;
  /** Reserved bytes by client. */
  readonly #reservedBy = new Map<string, number>();
  #contestedUntil = 0;

  constructor(bounds: BudgetBounds) {
    this.bounds = bounds;
  }

  /** Number of reserved bytes. */
  get reserved(): number {
    return this.#reserved;
  }

  /**
   * Reserves more bytes for a request, which has already reserved `own` bytes. Throws a 503 if all requests would then exceed the
   * maximum, or the client would exceed its share. A request is never refused if it is the only one.
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

  /** Releases bytes of a client. */
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

/** The bytes that one request has reserved from a budget. */
export class ByteReservation {
  readonly #budget: ByteBudget;
  readonly #owner: ReservationOwner;
  #client = '';
  #bytes = 0;
  /** The bytes reserved in the budget: those beyond the free ones, rounded up to whole units. */
  #reserved = 0;
  #isReleased = false;

  constructor(budget: ByteBudget, owner: ReservationOwner) {
    this.#budget = budget;
    this.#owner = owner;
  }

  /** Number of bytes that the request uses. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether the request uses more than the free bytes. */
  get isCounted(): boolean {
    return this.#reserved > 0;
  }

  /** Adds bytes. Throws a 503 if the budget refuses them, or if the request has ended. */
  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#budget.bounds.free + this.#reserved) this.#reserve();
  }

  /** Sets the number of bytes. Throws as `add` does. */
  set(bytes: number): void {
    this.#bytes = 0;
    this.#returnAll();
    this.add(bytes);
  }

  /** Releases all bytes, and refuses further ones. */
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
    const reservation = Math.ceil((this.#bytes - free) / step) * step;
    if (this.#reserved === 0) this.#client = this.#owner.client;
    this.#budget.reserve(reservation - this.#reserved, this.#reserved, this.#client);
    this.#reserved = reservation;
  }

  #returnAll(): void {
    if (this.#reserved > 0) this.#budget.release(this.#reserved, this.#client);
    this.#reserved = 0;
  }
}
