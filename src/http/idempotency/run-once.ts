import { exceeding } from '#base/limits/exceeded.js';
import { setTimeout as delay } from 'node:timers/promises';
import { memoize } from '#base/caches.js';
import { type ContentContext, withDatabase } from '#content/content-context.js';
import { collections } from '#model/schema/collections.js';
import { forbiddenError, hasCode, payloadTooLargeError, rateLimitError, type ApiError } from '#base/errors.js';
import { inTransaction } from '#store/send/transaction.js';
import { findKey, insertKey, storeAnswer, type StoredAnswer, type KeyedWrite, KeyTakenError } from '#store/stores/key-store.js';
import { ownRows } from '#store/write/own-rows.js';
import { isJson } from '../count-memory.js';
import type { Answer, RouteCall } from '../route.js';
import type { RunningService } from '../running.js';
import { KeyAllowance } from './key-allowance.js';
import { accessDigest, fingerprintOf, keyError, keyId, readKey } from './read-key.js';

/** Carries out a write in a context, and returns its answer. May be called again after a conflict. */
type Write = (content: ContentContext) => Promise<Answer>;

/** Thrown by a write whose answer is sent although nothing is stored. */
export class Undone extends Error {
  constructor(readonly answer: Answer) {
    super('the write was undone');
  }
}

/**
 * Returns the function that carries out the write of a request with a key. `space` is as for `keyId`. Throws a 400 for an invalid key, and
 * without transactions.
 */
export function onceFor(call: RouteCall, header: string, space?: string): NonNullable<RouteCall['once']> {
  const { caller, content, request } = call;
  const id = keyId(caller, readKey(header, caller), space);
  if (!content.store.database.isReplicated)
    throw keyError(400, 'Idempotency-Key needs transactions, which a standalone MongoDB server does not have', {
      details: { code: 'NO_TRANSACTIONS' },
    });
  return (write, parts) =>
    answerOnce(call, { id, fingerprint: fingerprintOf(request, parts), access: accessDigest(caller.access) }, write);
}

/** The key of a write, and what it stands for. */
type KeyOfWrite = Pick<KeyedWrite, 'id' | 'fingerprint' | 'access' | 'uid'>;

/**
 * Carries out a write with a key, and returns its answer; or the stored one if it was carried out before. The record of the key, the
 * write and its answer are stored in one transaction, so all or none of them exist. The server must have transactions.
 */
export function answerOnce(call: RouteCall, keyed: KeyOfWrite, write: Write): Promise<Answer> {
  const { sender } = call.content.store.database;
  return new KeyedRequest(call, { ...keyed, client: sender?.client ?? '' }, write).answer();
}

/** Returns when the record of a key that is stored now expires. */
export const keyExpiry = ({ config }: Pick<RunningService, 'config'>): Date =>
  new Date(Date.now() + 1_000 * config.api.idempotency.ttl);

const allowanceOf = memoize(({ config }: RunningService) => new KeyAllowance(config));

/** Maximum milliseconds between two attempts. */
const longestPause = 250;
const shortestPause = 10;

/** Attempts after a generated value was taken by another write. */
const mostTaken = 5;

class KeyedRequest {
  readonly #call: RouteCall;
  readonly #keyed: Omit<KeyedWrite, 'expiresAt'>;
  readonly #write: Write;
  readonly #begun = performance.now();

  constructor(call: RouteCall, keyed: Omit<KeyedWrite, 'expiresAt'>, write: Write) {
    this.#call = call;
    this.#keyed = keyed;
    this.#write = write;
  }

  /** Returns the answer to the write, or the stored one. Waits while another request with the key is under way; throws a 409 after that. */
  async answer(): Promise<Answer> {
    const { content, running } = this.#call;
    const { database } = content.store;
    if (database.uniques.isBuilding())
      await database.time.run(database.maxTimeMS.write, (limit) => database.uniques.waitAll(limit));
    const full = await allowanceOf(running).take(this.#keyed.client, database);
    for (let pause = shortestPause; ; pause = Math.min(2 * pause, longestPause)) {
      const answer = (full === null ? await this.#attempt() : null) ?? (await storedAnswer(this.#call, this.#keyed));
      if (answer !== null) return answer;
      if (full !== null) throw tooManyKeys(full);
      if (performance.now() - this.#begun > running.config.api.idempotency.wait) throw underWay();
      database.abandoned.endSince(this.#begun);
      await delay(Math.random() * pause);
    }
  }

  /** Writes, and returns the answer; null if another request has inserted the key. */
  async #attempt(): Promise<Answer | null> {
    for (let taken = 0; ; taken++) {
      try {
        return await this.#store();
      } catch (error) {
        if (error instanceof Undone) return error.answer;
        if (error instanceof KeyTakenError) return null;
        const isTaken = hasCode(error, 'uid-taken') || hasCode(error, 'id-taken');
        if (!isTaken || taken >= mostTaken) throw error;
      }
    }
  }

  async #store(): Promise<Answer> {
    const { content, running } = this.#call;
    const { answerBytes } = running.config.api.idempotency;
    const { id, client } = this.#keyed;
    const result = await inTransaction(content.store.database, async (database) => {
      await insertKey(database, { ...this.#keyed, expiresAt: keyExpiry(running) });
      const answer = await this.#write(withDatabase(content, database));
      if (answer.status !== undefined && answer.status >= 400) throw new Undone(answer);
      const storedAnswer = encodeAnswer(answer);
      const size = storedAnswer.body?.length ?? 0;
      if (size > answerBytes) throw tooLarge();
      await storeAnswer(database, id, storedAnswer);
      return { answer, size };
    });
    allowanceOf(running).add(client, result.size);
    return result.answer;
  }
}

/**
 * Returns the stored answer to a write with a key; null if there is none. Throws a 422 for another request, and a 403 if the caller's
 * rights have changed.
 */
export async function storedAnswer(
  { content }: Pick<RouteCall, 'content'>,
  { id, fingerprint, access }: KeyOfWrite,
): Promise<Answer | null> {
  const { database } = content.store;
  const record = await findKey(database, id);
  if (record === null) return null;
  const { expiresAt } = record;
  if (expiresAt.getTime() <= Date.now()) {
    await ownRows(collections.keys).remove(database, { _id: id, expiresAt });
    return null;
  }
  if (record.fingerprint !== fingerprint)
    throw keyError(
      422,
      'This Idempotency-Key was used for another request: a repeated one must be equal, a new one needs a new key',
    );
  if (record.access !== access)
    throw forbiddenError('The request was carried out before, but its answer is not repeated because your rights have changed');
  return decodeAnswer(record.answer);
}

const retryAfter = (seconds: number) => ({ 'Retry-After': String(seconds) });

const underWay = (): ApiError =>
  keyError(409, 'The first request with this Idempotency-Key is still under way, please try again', { headers: retryAfter(1) });

const tooManyKeys = (setting: 'keys' | 'bytes'): ApiError =>
  exceeding(
    `api.idempotency.${setting}`,
    rateLimitError(`Too many answers are stored for your Idempotency-Keys (api.idempotency.${setting})`, retryAfter(60)),
  );

const tooLarge = (): ApiError =>
  exceeding(
    'api.idempotency.answerBytes',
    payloadTooLargeError(
      'The answer is too large to be stored for the Idempotency-Key (api.idempotency.answerBytes). Nothing was written: select less',
    ),
  );

/** The parts of an answer besides its body, and whether that is sent as JSON. */
interface Head extends Omit<Answer, 'body'> {
  readonly isJson: boolean;
}

/** Returns an answer in its stored form. Throws an Error for a stream, which no write returns. */
function encodeAnswer({ body, ...rest }: Answer): StoredAnswer {
  const head = JSON.stringify({ ...rest, isJson: isJson(body) });
  if (body === undefined) return { head, body: null };
  if (isJson(body)) return { head, body: Buffer.from(JSON.stringify(body)) };
  if (typeof body === 'string' || Buffer.isBuffer(body)) return { head, body: Buffer.from(body) };
  throw new Error('an answer that is kept must be JSON, text or bytes');
}

/** Returns a stored answer with the header that tells it from the first one. JSON is decoded, as code around the answer expects it. */
function decodeAnswer({ head, body }: StoredAnswer): Answer {
  const { isJson, ...answer } = JSON.parse(head) as Head; // written by encodeAnswer
  const headers = { ...answer.headers, 'Idempotency-Replayed': 'true' };
  if (body === null) return { ...answer, headers };
  return { ...answer, headers, body: isJson ? (JSON.parse(body.toString()) as unknown) : body };
}
