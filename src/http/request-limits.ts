import { exceeding } from '#base/limits/exceeded.js';
import type { IncomingMessage } from 'node:http';
import type { Context, Middleware } from 'koa';
import type { ServerConfig } from '#settings/config.js';
import { badRequestError, unavailableError } from '#base/errors.js';
import { Clock } from '#base/limits/clock.js';
import { endOf, type Ending } from '#base/limits/ending.js';
import { type Origin, Queue } from '#base/limits/queue.js';
import { isDecodable } from '#base/values.js';
import { rawError } from './error-response.js';
import { isMultipart } from './request-body.js';

/** Throws a 400 for a URL that is too long, and for a path whose percent-encoding is not valid UTF-8. */
export const checkUrl =
  (urlLength: number): Middleware =>
  (ctx, next) => {
    const { url = '' } = ctx.req;
    if (url.length > urlLength)
      throw exceeding('api.limits.urlLength', badRequestError(`URL is longer than ${String(urlLength)} characters`));
    if (url.includes('%') && !isDecodable(ctx.path)) throw rawError(400, 'BadRequestError', 'failed to decode');
    return next();
  };

type Limits = Pick<ServerConfig, 'requestTimeout' | 'uploadTimeout'>;

/** Functions that change the time limit, by the request of a multipart body or a long answer. */
const limits = new WeakMap<IncomingMessage, (limit: 'of uploads' | 'none') => void>();

/**
 * Gives a request the time limit of uploads, counted from its beginning. Called when the caller is known to have the right to
 * upload.
 */
export function allowUploadTime(request: IncomingMessage): void {
  limits.get(request)?.('of uploads');
}

/**
 * Answers a request that takes too long: with 408 if its body is incomplete, otherwise with 503. The work itself is stopped by
 * the time limit of the database. The timer does not keep the process alive.
 */
export function timeLimit({ requestTimeout, uploadTimeout }: Limits, { mayLast }: { readonly mayLast?: true } = {}): Middleware {
  return (ctx, next) => {
    const begun = performance.now();
    const clock = new Clock();
    const lateness = { late: () => tooLate(ctx) };
    clock.allow(requestTimeout, lateness);
    if (mayLast === true || isMultipart(ctx))
      limits.set(ctx.req, (limit) => {
        if (limit === 'none') clock.stop();
        else clock.allow(uploadTimeout - (performance.now() - begun), lateness);
      });
    return clock.race(next());
  };
}

function tooLate(ctx: Context): Error {
  if (ctx.req.complete) return unavailableError('The request took too long, please try again later');
  ctx.set('Connection', 'close');
  return rawError(408, 'RequestTimeoutError', 'Request Timeout');
}

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
export function requestQueue({ requestsAtOnce, requestsWaiting, waitTimeout }: ServerConfig): Queue {
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

/** Releases the place of the request while its body is received. Rejects with a 503 like `admitRequests`. */
export async function withoutPlace<Body>(ctx: PlacedContext, receive: () => Promise<Body>): Promise<Body> {
  const own = ctx[place];
  own?.giveBack();
  const body = await receive();
  await own?.take();
  return body;
}

/** Ends the limits of a request on a path of long answers: it releases its place, and has no time limit any more. */
export function leaveLimits(ctx: PlacedContext): void {
  ctx[place]?.giveBack();
  limits.get(ctx.req)?.('none');
  limits.delete(ctx.req);
}
