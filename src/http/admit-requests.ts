import type { ServerResponse } from 'node:http';
import type { Context, Middleware } from 'koa';
import type { ServerConfig } from '../config/config.js';
import { unavailableError } from '../errors.js';

/** A request in the queue. */
interface Waiting {
  readonly response: ServerResponse;
  /** Time when it is refused, by `performance.now()`. */
  readonly deadline: number;
  readonly begin: () => void;
  readonly refuse: (error: Error) => void;
}

type Bounds = Pick<ServerConfig, 'requestsAtOnce' | 'requestsWaiting' | 'waitTimeout'>;

/**
 * Limits the number of requests that are handled concurrently. Others wait in a queue, first in, first out. Throws a 503 for
 * requests that have waited too long, and immediately if `requestsWaiting` are in the queue. All requests have the same time
 * limit, so that the first in the queue is always the next to expire.
 */
class Admission {
  readonly #bounds: Bounds;
  #underWay = 0;
  #waiting: Waiting[] = [];
  /**
   * Number of empty places at the start of `#waiting`. They are removed together, because removing the first item of a long list
   * moves all others.
   */
  #gone = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  /** Numbers of handled and of waiting requests. */
  get counts(): { readonly underWay: number; readonly waiting: number } {
    return { underWay: this.#underWay, waiting: this.#waiting.length - this.#gone };
  }

  /**
   * Returns null if the request may be handled now, otherwise a promise that resolves when it may. Call `leave` when it is done.
   */
  enter(response: ServerResponse): Promise<void> | null {
    if (this.#underWay < this.#bounds.requestsAtOnce) {
      this.#underWay += 1;
      return null;
    }
    if (this.counts.waiting >= this.#bounds.requestsWaiting) throw tooMany();
    return new Promise((resolve, reject) => {
      const deadline = performance.now() + this.#bounds.waitTimeout;
      this.#waiting.push({ response, deadline, begin: resolve, refuse: reject });
      this.#timer ??= this.#watch(deadline);
    });
  }

  /** Passes the place of a finished request to the next waiting one. Skips requests whose clients have disconnected. */
  leave(): void {
    for (let next = this.#take(); next !== null; next = this.#take()) {
      if (!next.response.closed) {
        next.begin();
        return;
      }
      next.refuse(tooMany());
    }
    this.#underWay -= 1;
  }

  #take(): Waiting | null {
    const next = this.#waiting[this.#gone];
    if (next === undefined) return null;
    this.#gone += 1;
    if (this.#gone > 1_000 || this.#gone === this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#gone);
      this.#gone = 0;
    }
    return next;
  }

  #watch(deadline: number): NodeJS.Timeout {
    return setTimeout(
      () => {
        this.#refuseLate();
      },
      Math.max(deadline - performance.now(), 1),
    ).unref();
  }

  #refuseLate(): void {
    const now = performance.now();
    for (let first = this.#waiting[this.#gone]; first !== undefined && first.deadline <= now; first = this.#waiting[this.#gone])
      this.#take()?.refuse(tooMany());
    const first = this.#waiting[this.#gone];
    this.#timer = first === undefined ? null : this.#watch(first.deadline);
  }
}

const tooMany = (): Error => unavailableError('Too many requests are under way, please try again later');

/** The place of one request in the Admission. */
class Place {
  readonly #admission: Admission;
  readonly #response: ServerResponse;
  #isHeld = false;

  constructor(admission: Admission, response: ServerResponse) {
    this.#admission = admission;
    this.#response = response;
  }

  async take(): Promise<void> {
    const turn = this.#admission.enter(this.#response);
    if (turn !== null) await turn;
    this.#isHeld = true;
  }

  giveBack(): void {
    if (this.#isHeld) this.#admission.leave();
    this.#isHeld = false;
  }
}

const place = Symbol('place');

/** The context of a request that may release its place temporarily. */
interface PlacedContext extends Context {
  [place]?: Place;
}

/**
 * Limits the number of requests that are handled concurrently. A request takes its place after its body was received, so that
 * slow senders occupy none, and leaves it before the answer is sent. Multipart bodies are received by their route, by
 * `withoutPlace`.
 */
export function admitRequests(bounds: Bounds): Middleware {
  const admission = new Admission(bounds);
  return async (ctx: PlacedContext, next) => {
    const own = new Place(admission, ctx.res);
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
