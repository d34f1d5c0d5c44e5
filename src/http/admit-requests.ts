import type { Context, Middleware } from 'koa';
import type { ServerConfig } from '../config/config.js';
import { endOf, type Ending } from '../limits/ending.js';
import { type Origin, Queue } from '../limits/queue.js';

/** The place of one request in the queue of all requests, in which all clients share alike. */
class Place implements Origin {
  readonly client = null;
  readonly #queue: Queue;
  readonly #ctx: Context;
  #isHeld = false;
  #signal: Ending | null = null;

  constructor(queue: Queue, ctx: Context) {
    this.#queue = queue;
    this.#ctx = ctx;
  }

  /** Made only for requests that wait. */
  get signal(): Ending {
    return (this.#signal ??= endOf(this.#ctx.res));
  }

  async take(): Promise<void> {
    const turn = this.#queue.enter(this);
    if (turn !== null) await turn;
    this.#isHeld = true;
  }

  giveBack(): void {
    if (this.#isHeld) this.#queue.leave(this);
    this.#isHeld = false;
  }
}

const place = Symbol('place');

/** The context of a request that may release its place temporarily. */
interface PlacedContext extends Context {
  [place]?: Place;
}

/** Creates the queue of all requests. */
export function requestQueue({
  requestsAtOnce,
  requestsWaiting,
  waitTimeout,
}: Pick<ServerConfig, 'requestsAtOnce' | 'requestsWaiting' | 'waitTimeout'>): Queue {
  const refusal = 'Too many requests are under way, please try again later';
  return new Queue({ atOnce: requestsAtOnce, waiting: requestsWaiting, longest: waitTimeout, refusal });
}

/**
 * Limits the number of requests that are handled concurrently. Others wait, first in, first out. Throws a 503 for requests that
 * have waited too long, and immediately if `requestsWaiting` wait. A request takes its place after its body was received, so that
 * slow senders occupy none, and leaves it before the answer is sent. Multipart bodies are received by their route, by
 * `withoutPlace`.
 */
export function admitRequests(queue: Queue): Middleware {
  return async (ctx: PlacedContext, next) => {
    const own = new Place(queue, ctx);
    await own.take();
    ctx[place] = own;
    try {
      await next();
    } finally {
      own.giveBack();
    }
  };
}

/** Releases the place of a request whose answer may take long. */
export function leavePlace(ctx: PlacedContext): void {
  ctx[place]?.giveBack();
}

/** Releases the place of the request while its body is received. Rejects with a 503 like `admitRequests`. */
export async function withoutPlace<Body>(ctx: PlacedContext, receive: () => Promise<Body>): Promise<Body> {
  const own = ctx[place];
  own?.giveBack();
  const body = await receive();
  await own?.take();
  return body;
}
