import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { bodyInvalid } from './error-response.js';

type Listener = (value?: unknown) => void;

/** Bytes that may stand between parts: headers, boundaries, and what the parser has not come to yet. */
const allowance = { request: 196_608, part: 16_384 };

/**
 * A request as a multipart parser reads it. It ends where the headers of parts grow beyond measure, which the parser itself would
 * keep in memory, and where what becomes of the parts fails.
 */
export class GuardedRequest {
  readonly #request: IncomingMessage;
  readonly #errorListeners: Listener[] = [];
  readonly #dataListeners: ((bytes: Buffer) => void)[] = [];
  /** Bytes that came, less those that were found to be content. */
  #unaccounted = 0;
  #allowed = allowance.request;
  failure: unknown = null;

  constructor(request: IncomingMessage) {
    this.#request = request;
  }

  get headers(): IncomingHttpHeaders {
    return this.#request.headers;
  }

  on(event: string, listener: Listener): this {
    if (event === 'error') this.#errorListeners.push(listener);
    if (event === 'data') this.#request.on('data', this.#watch(listener));
    else this.#request.on(event, listener);
    return this;
  }

  pause(): void {
    if (this.failure === null) this.#request.pause();
  }

  resume(): void {
    this.#request.resume();
  }

  beginPart(): void {
    this.#allowed += allowance.part;
  }

  /** Bytes were content of a part. */
  account(bytes: number): void {
    this.#unaccounted -= bytes;
  }

  /** Makes the parser give up; the first reason stands. */
  fail(reason: unknown): void {
    if (this.failure !== null) return;
    this.failure = reason;
    for (const listener of this.#errorListeners) listener(reason);
  }

  /** Reads on without looking. */
  drain(): void {
    this.failure ??= bodyInvalid('request aborted');
    for (const listener of this.#dataListeners) this.#request.off('data', listener);
    this.#request.resume();
  }

  #watch(listener: Listener): (bytes: Buffer) => void {
    const watch = (bytes: Buffer): void => {
      if (this.failure !== null) return;
      this.#unaccounted += bytes.length;
      if (this.#unaccounted > this.#allowed) this.fail(bodyInvalid('invalid multipart body'));
      else listener(bytes);
    };
    this.#dataListeners.push(watch);
    return watch;
  }
}
