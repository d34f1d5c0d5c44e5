import type { ServerResponse } from 'node:http';
import type { Context } from 'koa';

/**
 * The body of an answer that lasts, such as a stream of events. It is written to the response itself: a stream of Node that is piped
 * there keeps 10 kB for each client.
 */
export class LiveBody {
  #response: ServerResponse | null = null;
  /** What was written before the response had its headers. */
  #early = '';
  #isOver = false;

  /** Sends the headers, and what was written so far. */
  sendTo(response: ServerResponse): void {
    this.#response = response;
    response.flushHeaders();
    if (this.#early !== '') response.write(this.#early);
    this.#early = '';
    if (this.#isOver) response.end();
  }

  write(text: string): void {
    if (text === '') return;
    if (this.#response === null) this.#early += text;
    else if (this.#isOpen) this.#response.write(text);
  }

  /** Whether the client has read everything. */
  get isRead(): boolean {
    return this.#response === null ? this.#early === '' : this.#response.writableLength === 0;
  }

  /** Resolves when the client has read enough to take more, or the connection has ended. */
  async ready(): Promise<void> {
    const response = this.#response;
    if (response?.writableNeedDrain !== true || !this.#isOpen) return;
    await new Promise<void>((resolve) => {
      const told = (): void => {
        response.off('drain', told).off('close', told);
        resolve();
      };
      response.on('drain', told).on('close', told);
    });
  }

  end(): void {
    if (this.#isOpen) this.#response?.end();
    this.#isOver = true;
  }

  get #isOpen(): boolean {
    return !this.#isOver && this.#response?.destroyed !== true && this.#response?.writableEnded !== true;
  }
}

const live = Symbol('live body');

interface LiveContext extends Context {
  [live]?: LiveBody | undefined;
}

/** Answers with a body that lasts. Koa leaves the response to it. */
export function answerLive(ctx: LiveContext, body: LiveBody): void {
  ctx.respond = false;
  ctx[live] = body;
}

/** Sends the body that lasts. Returns false if the answer has none. */
export function sendLive(ctx: LiveContext): boolean {
  const body = ctx[live];
  if (body === undefined) return false;
  ctx[live] = undefined;
  if (ctx.method === 'HEAD') body.end();
  body.sendTo(ctx.res);
  return true;
}
