import type { KeptAnswer } from '../../mongo/stores/key-store.js';
import { isJson } from '../count-memory.js';
import type { Answer } from '../route.js';

/** The parts of an answer besides its body, and whether that is sent as JSON. */
interface Head extends Omit<Answer, 'body'> {
  readonly isJson: boolean;
}

/** Returns an answer in its stored form. Throws an Error for a stream, which no write returns. */
export function encodeAnswer({ body, ...rest }: Answer): KeptAnswer {
  const head = JSON.stringify({ ...rest, isJson: isJson(body) });
  if (body === undefined) return { head, body: null };
  if (isJson(body)) return { head, body: Buffer.from(JSON.stringify(body)) };
  if (typeof body === 'string' || Buffer.isBuffer(body)) return { head, body: Buffer.from(body) };
  throw new Error('an answer that is kept must be JSON, text or bytes');
}

/** Returns a stored answer with the header that tells it from the first one. JSON is decoded, as code around the answer expects it. */
export function decodeAnswer({ head, body }: KeptAnswer): Answer {
  const { isJson, ...answer } = JSON.parse(head) as Head; // written by encodeAnswer
  const headers = { ...answer.headers, 'Idempotency-Replayed': 'true' };
  if (body === null) return { ...answer, headers };
  return { ...answer, headers, body: isJson ? (JSON.parse(body.toString()) as unknown) : body };
}
