import type { Answer } from '#http/route.js';

/** How the results of an operation are written in the answer to its request. */
export interface Transport {
  readonly contentType: string;
  /** Whether it has the results of all operations, also of those with one. */
  readonly isForAll: boolean;
  readonly begin: string;
  readonly complete: string;
  readonly beat: string;
  /** Returns a result by its JSON. */
  readonly next: (json: string) => string;
  /** Returns how the client is told why the stream ends; an empty text if it asks again to know. */
  readonly failure: (message: string) => string;
}

/** Server-sent events, as graphql-sse has them with a connection for each operation. */
const events: Transport = {
  contentType: 'text/event-stream; charset=utf-8',
  isForAll: true,
  begin: ':\n\n',
  complete: 'event: complete\ndata: \n\n',
  beat: ':\n\n',
  next: (json) => `event: next\ndata: ${json}\n\n`,
  failure: () => '',
};

const part = (json: string): string => `\r\ncontent-type: application/json\r\n\r\n${json}\r\n--graphql`;

/** The parts of Apollo's protocol for subscriptions over HTTP. */
const parts: Transport = {
  contentType: 'multipart/mixed;boundary="graphql";subscriptionSpec=1.0',
  isForAll: false,
  begin: '\r\n--graphql',
  complete: '--\r\n',
  beat: part('{}'),
  next: (json) => part(`{"payload":${json}}`),
  failure: (message) => `${part(JSON.stringify({ payload: null, errors: [{ message }] }))}--\r\n`,
};

/** Returns the transport that a client accepts; null if that is JSON. */
export function transportOf(accept: string | undefined): Transport | null {
  if (accept === undefined) return null;
  if (/\btext\/event-stream\b/i.test(accept)) return events;
  return /\bmultipart\/mixed\b[^,]*\bsubscriptionspec="?1\.0\b/i.test(accept) ? parts : null;
}

/** Returns an answer with JSON in the form of a transport. */
export function wrapped({ body, ...answer }: Answer, { contentType, next, complete }: Transport): Answer {
  const json = Buffer.isBuffer(body) ? body.toString().trimEnd() : '';
  if (!json.startsWith('{')) return { ...answer, body };
  const headers = { ...answer.headers, 'Content-Type': contentType, 'Cache-Control': 'no-store' };
  return { ...answer, status: 200, headers, body: `${next(json)}${complete}` };
}
