import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { bodyInvalid } from './error-response.js';

type Listener = (value?: unknown) => void;

/** Maximum number of bytes outside of part contents: headers, boundaries, and unparsed input. */
const allowance = { request: 196_608, part: 16_384 };

/**
 * A request for a multipart parser. It fails if the headers of parts, which the parser keeps in memory, grow too large, or if the
 * handling of a part fails.
 */
export class GuardedRequest {
  readonly #request: IncomingMessage;
  readonly #errorListeners: Listener[] = [];
  readonly #dataListeners: ((bytes: Buffer) => void)[] = [];
  /** Received bytes minus those that were counted as content of parts. */
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

  /** Counts bytes as content of a part. */
  account(bytes: number): void {
    this.#unaccounted -= bytes;
  }

  /** Makes the parser fail. Only the first reason is recorded. */
  fail(reason: unknown): void {
    if (this.failure !== null) return;
    this.failure = reason;
    for (const listener of this.#errorListeners) listener(reason);
  }

  /** Discards the rest of the request. */
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
