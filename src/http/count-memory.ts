import type { ServerResponse } from 'node:http';
import { getHeapStatistics } from 'node:v8';
import type { Context, Middleware } from 'koa';
import { addressKey } from '#base/limits/client-of.js';
import type { Config } from '#settings/config.js';
import { nextTurn } from '#base/limits/queue.js';
import { ByteReservation, ByteBudget, type ReservationOwner } from '#base/limits/byte-budget.js';
import { isRecord } from '#base/values.js';

/**
 * The memory of one request, from the budgets of all requests for bodies and for answers. It is counted by client address, whether
 * or not the caller has logged in.
 */
class RequestMemory implements ReservationOwner {
  readonly response: ServerResponse;
  /** Memory of the read documents and their values, then of the answer until it is sent. */
  readonly answer: ByteReservation;
  readonly #bodies: ByteBudget;
  readonly #ctx: Context;
  #body: ByteReservation | null = null;

  constructor(ctx: Context, bodies: ByteBudget, answers: ByteBudget) {
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
  const bodies = new ByteBudget({ max: middlewares.body.totalLimit ?? heap / 8, free: 16_384, refusal: busy('bodies') });
  const answers = new ByteBudget({ max: mostAnswerBytes(server.answersLimit), free: 131_072, refusal: busy('answers') });
  return async (ctx: CountedContext, next) => {
    const used = (ctx[memory] = new RequestMemory(ctx, bodies, answers));
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

const busy = (what: string): string => `Too many large ${what} are under way, please try again later`;

/** Levels of lists and objects that are written in pieces: enough for the entries of a list and for related entries. */
const levels = 6;

/**
 * Returns the bytes of the JSON of a value. The text is created in pieces that become bytes immediately, so that it is never in
 * memory as a whole. `estimate` is the approximate number of bytes.
 */
export function writeJson(value: object, estimate: number): Buffer {
  const writer = new JsonWriter(estimate);
  writer.write(value, 0);
  return writer.bytes;
}

class JsonWriter {
  #buffer: Buffer;
  #length = 0;

  constructor(estimate: number) {
    this.#buffer = Buffer.allocUnsafeSlow(Math.ceil(estimate));
  }

  /** The bytes that were written so far. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  /** Writes a value. Returns false if it has no JSON form. `level` is the number of lists and objects around the value. */
  write(value: unknown, level: number): boolean {
    if (level < levels && Array.isArray(value)) return this.#writeList(value, level + 1);
    if (level < levels && isPlain(value)) return this.#writeObject(value, level + 1);
    // undefined for values without a JSON form, such as functions
    const text = JSON.stringify(value) as string | undefined;
    if (text !== undefined) this.#append(text);
    return text !== undefined;
  }

  #writeList(items: readonly unknown[], level: number): true {
    let before = '[';
    for (const item of items) {
      this.#append(before);
      if (!this.write(item, level)) this.#append('null');
      before = ',';
    }
    this.#append(items.length === 0 ? '[]' : ']');
    return true;
  }

  #writeObject(values: Readonly<Record<string, unknown>>, level: number): true {
    let before = '{';
    for (const key of Object.keys(values)) {
      const start = this.#length;
      this.#append(`${before}${JSON.stringify(key)}:`);
      if (this.write(values[key], level)) before = ',';
      else this.#length = start;
    }
    this.#append(before === '{' ? '{}' : '}');
    return true;
  }

  #append(text: string): void {
    const end = this.#length + Buffer.byteLength(text);
    if (end > this.#buffer.length) this.#grow(end);
    this.#buffer.write(text, this.#length);
    this.#length = end;
  }

  #grow(size: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.ceil(1.25 * size));
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
  }
}

/** Returns whether a value is an object without a special JSON form. */
function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
