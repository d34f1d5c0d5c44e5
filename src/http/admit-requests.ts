import type { ServerResponse } from 'node:http';
import type { Context, Middleware } from 'koa';
import type { ServerConfig } from '../config/config.js';
import { unavailableError } from '../errors.js';

/** A request that waits for its turn. */
interface Waiting {
  readonly response: ServerResponse;
  /** When it is refused, on the clock of `performance`. */
  readonly deadline: number;
  readonly begin: () => void;
  readonly refuse: (error: Error) => void;
}

type Bounds = Pick<ServerConfig, 'requestsAtOnce' | 'requestsWaiting' | 'waitTimeout'>;

/**
 * Lets a bounded number of requests be handled at a time; others wait in the order in which they came. Throws 503 for those that wait
 * too long, and at once if `requestsWaiting` are waiting already. All wait equally long at most, so that the first one is always the first to be refused.
 */
class Admission {
  readonly #bounds: Bounds;
  #underWay = 0;
  #waiting: Waiting[] = [];
  /** Places of `#waiting` that are empty: to take the first of a long list away each time would move all others. */
  #gone = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  /** Requests that are handled, and those that wait. */
  get counts(): { readonly underWay: number; readonly waiting: number } {
    return { underWay: this.#underWay, waiting: this.#waiting.length - this.#gone };
  }

  /** Returns null if the request may be handled now; else a promise that resolves when it may. `leave` is called behind either. */
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

  /** Passes the place of a finished request to the next one. Requests whose clients have disconnected are skipped. */
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

/** The place of a request among those that are handled. */
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

/** The context of a request that may give its place back for a while. */
interface PlacedContext extends Context {
  [place]?: Place;
}

/**
 * Bounds how many requests are handled at a time. A request takes its place after its body was received, so that slow
 * senders take no place, and leaves it before the answer is sent. A multipart body is received by its route, `withoutPlace`.
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

/** Receives a body while others are handled in the place of the request. Rejects with 503 as `admitRequests` does. */
export async function withoutPlace<Body>(ctx: PlacedContext, receive: () => Promise<Body>): Promise<Body> {
  const own = ctx[place];
  own?.giveBack();
  const body = await receive();
  await own?.take();
  return body;
}
