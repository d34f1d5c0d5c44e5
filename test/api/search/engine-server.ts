import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const engineKey = 'key-of-the-engine';

/** Half of a surrogate pair as JSON escapes it. The JSON parsers of engines refuse it. */
export const halfPair = /(?<!\\ud[89ab]..)\\ud[c-f]..|\\ud[89ab]..(?!\\ud[c-f])/i;

/** A text for which the servers of tests refuse a document. */
export const refusedText = 'text that the engine refuses';

/** A stored document of an index. */
export type StoredText = { readonly id: number | string } & Readonly<Record<string, unknown>>;

export interface StoredIndex {
  readonly documents: Map<string, StoredText>;
  /** The settings, or the schema, with which it was made. */
  form: Record<string, unknown>;
}

export interface EngineAnswer {
  readonly status: number;
  readonly body: unknown;
}

export interface EngineCall {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
}

/** What an engine does with a request. */
type Answering = (call: EngineCall, indexes: Map<string, StoredIndex>) => EngineAnswer;

/** How an engine behaves: as documented, by closing connections, by never answering, or by an error of its own. */
type Mood = 'well' | 'down' | 'silent' | 'broken';

/**
 * A search engine in the process of a test: an HTTP server that answers as the documentation of an engine says. It ranks simply: entries
 * with more words of the search come first, then those with fewer typing errors, then those that were stored first.
 */
export class EngineServer {
  readonly indexes = new Map<string, StoredIndex>();
  readonly calls: EngineCall[] = [];
  mood: Mood = 'well';
  url = '';
  readonly #answer: Answering;
  readonly #server = createServer((request, response) => void this.#handle(request, response));

  constructor(answer: Answering) {
    this.#answer = answer;
  }

  async open(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.url = `http://127.0.0.1:${String((this.#server.address() as AddressInfo).port)}`;
    return this;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close').catch(() => undefined);
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { pathname: path, searchParams: query } = new URL(request.url ?? '', 'http://engine');
    const call = { method: request.method ?? '', path, query, body: Buffer.concat(chunks).toString(), headers: request.headers };
    this.calls.push(call);
    if (this.mood === 'silent') return;
    if (this.mood === 'down') {
      request.socket.destroy();
      return;
    }
    const { status, body } =
      this.mood === 'broken' ? { status: 500, body: { message: 'broken' } } : this.#answer(call, this.indexes);
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(typeof body === 'string' ? body : JSON.stringify(body));
  }
}

/** Returns whether two words differ by one letter at most. */
function isNear(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1) return false;
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  const [a, b] = [one.slice(at), other.slice(at)];
  return a === b || a.slice(1) === b.slice(1) || a.slice(1) === b || a === b.slice(1);
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Returns the documents that have a word of a text in some fields, of the best match first. */
export function matching(documents: Iterable<StoredText>, text: string, fields: readonly string[]): StoredText[] {
  const wanted = wordsOf(text);
  const scored = [...documents].map((document) => {
    const words = fields.flatMap((field) => (typeof document[field] === 'string' ? wordsOf(document[field]) : []));
    const exact = wanted.filter((one) => words.some((word) => word.startsWith(one))).length;
    const near = wanted.filter((one) => words.some((word) => isNear(word, one))).length;
    return { document, score: 10 * Math.max(exact, near) + exact };
  });
  const found = wanted.length === 0 ? scored : scored.filter(({ score }) => score > 0);
  // of equal ones, the order in which they came does not count
  return found
    .sort((a, b) => b.score - a.score || Number(a.document['id']) - Number(b.document['id']))
    .map(({ document }) => document);
}
