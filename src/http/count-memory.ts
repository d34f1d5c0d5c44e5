import type { ServerResponse } from 'node:http';
import { getHeapStatistics } from 'node:v8';
import type { Context, Middleware } from 'koa';
import { addressKey } from '../accounts/login/limit-attempts.js';
import type { Config } from '../config/config.js';
import { nextTurn } from '../queue.js';
import { ByteReservation, ByteBudget, type ReservationOwner } from '../byte-budget.js';
import { isRecord } from '../values.js';
import { writeJson } from './write-json.js';

/** The memory of all requests: for their bodies, and for their answers. */
interface SharedMemory {
  readonly bodies: ByteBudget;
  readonly answers: ByteBudget;
}

/** The memory that one request uses. It counts for the address of the client, whether or not the caller has logged in. */
class RequestMemory implements ReservationOwner {
  readonly response: ServerResponse;
  /** The documents that are read for the answer, and its values; then the answer itself, until it is sent. */
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

  /** The body, as it is received and as it is decoded, until the request is handled. */
  get body(): ByteReservation {
    return (this.#body ??= new ByteReservation(this.#bodies, this));
  }

  /** The request is handled. What is left is its answer, if there is one. */
  end(outcome: 'answered' | 'refused'): void {
    this.#body?.release();
    if (outcome === 'answered') this.answer.releaseAtEnd();
    else this.answer.release();
  }
}

const memory = Symbol('memory');

/** The context of a request whose memory is counted. A WeakMap from requests would cost the garbage collector 5 % of their time. */
interface CountedContext extends Context {
  [memory]?: RequestMemory;
}

/** Returns the memory that a request uses; null for bare paths, which pass through no middleware. */
export const memoryOf = (ctx: CountedContext): RequestMemory | null => ctx[memory] ?? null;

/** Answers of at least this many characters are kept as bytes, outside of the heap of V8, until they are sent. */
const large = 65_536;

/**
 * Counts the memory that requests use. If all together would use too much, a request that needs more is refused with 503; small ones
 * always pass. Objects and lists become JSON here: Koa and the compression would each do so, only to measure the length.
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

/** Requests that use at least this many bytes write their JSON in pieces, which takes longer for smaller ones. */
const veryLarge = 2_097_152;

/** Returns a body as it is sent: objects and lists as JSON, which is bytes if it is large. */
function bytesOf(body: unknown, { isCounted, bytes }: ByteReservation): unknown {
  // Half of the bytes were read for the answer, the others are those of the answer itself.
  if (isCounted && bytes >= veryLarge && isJson(body)) return writeJson(body, bytes / 2);
  const text = isJson(body) ? JSON.stringify(body) : body;
  return typeof text === 'string' && text.length >= large ? Buffer.from(text) : text;
}

/** Whether a body is an object or list that is sent as JSON. */
export const isJson = (body: unknown): body is object =>
  Array.isArray(body) || (isRecord(body) && Object.getPrototypeOf(body) === Object.prototype);

const heap = getHeapStatistics().heap_size_limit;

/** Returns the bytes that all answers together may take, by the setting. */
export const mostAnswerBytes = (limit: number | null): number => limit ?? heap / 8;

const createMemory = (answersLimit: number | null, bodiesLimit: number | null): SharedMemory => ({
  bodies: new ByteBudget({ max: bodiesLimit ?? heap / 8, free: 16_384, refusal: busy('bodies') }),
  answers: new ByteBudget({ max: mostAnswerBytes(answersLimit), free: 131_072, refusal: busy('answers') }),
});

const busy = (what: string): string => `Too many large ${what} are under way, please try again later`;
