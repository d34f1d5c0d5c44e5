import { createHash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { Agent } from 'node:http';
import type { StartedContender } from './contest.js';
import { send } from './send-load.js';
import type { HttpRequest } from './questions.js';

/**
 * Sends a request and returns the JSON body of the answer, or null without one; of bytes, their digest. Throws on any refusal, of
 * GraphQL too. Of a known answer the whole is read.
 */
export async function readAnswer({ target }: StartedContender, asked: HttpRequest, agent: Agent): Promise<unknown> {
  const { isKnown, ...request } = asked;
  if (isKnown) await send(target.url, asked, agent);
  const sent = await send(target.url, request, agent);
  const bytes = request.encoding === undefined ? sent : decoders[request.encoding](sent);
  if (request.answer === 'bytes') return createHash('sha256').update(bytes).digest('hex');
  const text = bytes.toString();
  if (text === '') return null;
  const body: unknown = JSON.parse(text);
  if (typeof body === 'object' && body !== null && 'errors' in body) {
    throw new Error(`${request.method} ${request.path} -> ${text.slice(0, 300)}`);
  }
  return body;
}

const decoders = { gzip: gunzipSync, br: brotliDecompressSync } as const;
