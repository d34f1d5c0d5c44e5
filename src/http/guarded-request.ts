import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { bodyInvalid } from './error-response.js';

type Listener = (value?: unknown) => void;

/** Bytes that are allowed between parts: headers, boundaries, and unparsed input. */
const allowance = { request: 196_608, part: 16_384 };

/**
 * A request as a multipart parser reads it. It fails if the headers of parts grow too large, which the parser would keep in
 * memory, or if the handling of a part fails.
 */
export class GuardedRequest {
  readonly #request: IncomingMessage;
  readonly #errorListeners: Listener[] = [];
  readonly #dataListeners: ((bytes: Buffer) => void)[] = [];
  /** Received bytes, without those that were content of parts. */
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

  /** Marks bytes as content of a part. */
  account(bytes: number): void {
    this.#unaccounted -= bytes;
  }

  /** Makes the parser fail. The first reason is kept. */
  fail(reason: unknown): void {
    if (this.failure !== null) return;
    this.failure = reason;
    for (const listener of this.#errorListeners) listener(reason);
  }

  /** Reads the rest and discards it. */
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
