import { Readable } from 'node:stream';
import { ApiError } from '../errors.js';
import type { Observer } from '../observe/observer.js';

/** The body of a stream. Not more than one step waits in it until the client reads. */
export class EventStream {
  readonly body: Readable;
  #wanted: (() => void) | null = null;

  constructor() {
    this.body = new Readable({
      read: () => {
        this.#wanted?.();
      },
      destroy: (error, done) => {
        this.#wanted?.();
        done(error);
      },
    });
  }

  write(text: string): void {
    if (text !== '' && !this.body.destroyed) this.body.push(text);
  }

  /** Sends a comment, so that proxies keep the connection, unless there is something to read. */
  beat(): void {
    if (this.body.readableLength === 0) this.write(': keep-alive\n\n');
  }

  /** Resolves when the client has read enough to take more. */
  async isRead(): Promise<void> {
    if (this.body.readableLength < this.body.readableHighWaterMark || this.body.destroyed) return;
    await new Promise<void>((resolve) => {
      this.#wanted = resolve;
    });
  }

  /** Tells the client to begin anew, and ends. The empty id makes an EventSource forget its last one. */
  reset(): void {
    this.write('event: reset\nid:\ndata: {}\n\n');
    this.end();
  }

  /** Observes an error that is a bug. */
  fail(error: unknown, observer: Observer): void {
    if (!(error instanceof ApiError)) observer.observe({ kind: 'failed', work: 'sync', err: error });
  }

  end(): void {
    if (!this.body.destroyed) this.body.push(null);
  }
}
