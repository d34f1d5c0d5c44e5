import type { ServerResponse } from 'node:http';
import { getHeapStatistics } from 'node:v8';
import type { Context, Middleware } from 'koa';
import { addressKey } from '../limits/client-of.js';
import type { Config } from '../config/config.js';
import { nextTurn } from '../limits/queue.js';
import { ByteReservation, ByteBudget, type ReservationOwner } from '../limits/byte-budget.js';
import { isRecord } from '../values.js';
import { writeJson } from './write-json.js';

/** The memory budgets of all requests, for bodies and for answers. */
interface SharedMemory {
  readonly bodies: ByteBudget;
  readonly answers: ByteBudget;
}

/** The memory of one request. It is counted by client address, whether or not the caller has logged in. */
class RequestMemory implements ReservationOwner {
  readonly response: ServerResponse;
  /** Memory of the read documents and their values, then of the answer until it is sent. */
  readonly answer: ByteReservation;
  readonly #bodies: ByteBudget;
  readonly #ctx: Context;
  #body: ByteReservation | null = null;

  constructor({ bodies, answers }: SharedMemory, ctx: Context) {
    this.#ctx = ctx;
    this.response = ctx.res;
    this.answer = new ByteReservation(answers, this);
    this.#bodies = bodies;
  }

  get client(): string {
    return addressKey(this.#ctx.ip);
  }

  /** Memory of the received body and of its decoded form, until the request has been handled. */
  get body(): ByteReservation {
    return (this.#body ??= new ByteReservation(this.#bodies, this));
  }

  /** Releases the memory of the body, and that of the answer as soon as it is sent, or at once if there is none. */
  end(outcome: 'answered' | 'refused'): void {
    this.#body?.release();
    if (outcome === 'answered') this.answer.releaseAtEnd();
    else this.answer.release();
  }
}

const memory = Symbol('memory');

/**
 * The context of a request whose memory is counted. A WeakMap by request would take the garbage collector 5 % of the time of
 * requests.
 */
interface CountedContext extends Context {
  [memory]?: RequestMemory;
}

/** Returns the memory of a request; null for bare paths, which have no middleware. */
export const memoryOf = (ctx: CountedContext): RequestMemory | null => ctx[memory] ?? null;

/** Minimum number of characters of an answer that is converted to bytes, so that it waits outside of the V8 heap. */
const large = 65_536;

/**
 * Counts the memory of requests. If the total would be too large, a request that needs more is refused with a 503, except small
 * ones. Objects and lists are serialized here, because Koa and the compression would each serialize them only to measure the
 * length.
 */
export function countMemory({ server, middlewares }: Config): Middleware {
  const shared = createMemory(server.answersLimit, middlewares.body.totalLimit);
  return async (ctx: CountedContext, next) => {
    const used = (ctx[memory] = new RequestMemory(shared, ctx));
    try {
      await next();
      if (used.answer.isCounted) await nextTurn();
      const { body } = ctx;
      const sent = bytesOf(body, used.answer);
      if (Buffer.isBuffer(sent)) used.answer.set(sent.length);
      if (sent !== body) ctx.body = sent;
    } catch (error) {
      used.end('refused');
      throw error;
    }
    used.end('answered');
  };
}

/** Minimum number of bytes of requests that write their JSON in pieces. For smaller ones that takes longer. */
const veryLarge = 2_097_152;

/** Returns a body in the form in which it is sent: objects and lists as JSON, large texts as bytes. */
function bytesOf(body: unknown, { isCounted, bytes }: ByteReservation): unknown {
  // half of the bytes are documents that were read, the other half is the answer itself
  if (isCounted && bytes >= veryLarge && isJson(body)) return writeJson(body, bytes / 2);
  const text = isJson(body) ? JSON.stringify(body) : body;
  return typeof text === 'string' && text.length >= large ? Buffer.from(text) : text;
}

/** Returns whether a body is an object or list that is sent as JSON. */
export const isJson = (body: unknown): body is object =>
  Array.isArray(body) || (isRecord(body) && Object.getPrototypeOf(body) === Object.prototype);

const heap = getHeapStatistics().heap_size_limit;

/** Returns the maximum number of bytes of all answers together. `limit` is the setting. */
export const mostAnswerBytes = (limit: number | null): number => limit ?? heap / 8;

const createMemory = (answersLimit: number | null, bodiesLimit: number | null): SharedMemory => ({
  bodies: new ByteBudget({ max: bodiesLimit ?? heap / 8, free: 16_384, refusal: busy('bodies') }),
  answers: new ByteBudget({ max: mostAnswerBytes(answersLimit), free: 131_072, refusal: busy('answers') }),
});

const busy = (what: string): string => `Too many large ${what} are under way, please try again later`;
