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

const bodies = new WeakMap<ServerResponse, LiveBody>();

/** Answers with a body that lasts. Koa leaves the response to it. */
export function answerLive(ctx: Context, body: LiveBody): void {
  ctx.respond = false;
  bodies.set(ctx.res, body);
}

/** Sends the body that lasts. Returns false if the answer has none. */
export function sendLive(ctx: Context): boolean {
  const body = bodies.get(ctx.res);
  if (body === undefined) return false;
  bodies.delete(ctx.res);
  if (ctx.method === 'HEAD') body.end();
  body.sendTo(ctx.res);
  setImmediate(release, ctx); // when all middleware has finished
  return true;
}

/**
 * Drops what only middleware needs of a context. Koa keeps the context until the answer ends, with 2 kB for each client. The properties
 * stay, because V8 makes an object without some of its properties a hash table, which is larger.
 */
function release(ctx: Context): void {
  for (const key of Reflect.ownKeys(ctx)) if (!needed.has(key)) Reflect.set(ctx, key, undefined);
}

/** What Koa and the log read of a context when the answer ends. */
const needed: ReadonlySet<string | symbol> = new Set([
  'app',
  'req',
  'res',
  'request',
  'response',
  'respond',
  'state',
  '_matchedRoute',
]);
