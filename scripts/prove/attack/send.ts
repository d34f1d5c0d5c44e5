import { request } from 'node:http';
import type { Attack, Hit } from './attack.js';
import type { Target } from './target.js';

/** A request of an attack. */
export interface Shot {
  readonly method?: string;
  /** Begins behind the address of the service. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** Sends one request and counts the bytes of the answer. */
export function send({ port }: Pick<Target, 'port'>, { method = 'GET', path, headers = {}, body }: Shot): Promise<Hit> {
  return new Promise((resolve) => {
    // Of a connection that is to be closed, the answer may be lost while the body is still on its way.
    const kept = { ...headers, connection: 'keep-alive' };
    const sent = request({ host: '127.0.0.1', port, method, path, headers: kept, agent: false }, (answer) => {
      let bytes = 0;
      let beginning = '';
      const status = answer.statusCode ?? null;
      const end = (): void => {
        sent.destroy();
        // GraphQL says in an answer of 200 what it refuses.
        const isRefused = status !== 200 || beginning.includes('"errors":[');
        resolve({ status, bytes, ...(isRefused && beginning !== '' && { refusal: beginning }) });
      };
      answer
        .on('data', (piece: Buffer) => {
          bytes += piece.length;
          if (beginning.length < 400) beginning += piece.toString('utf8', 0, 400);
        })
        .on('end', end)
        .on('error', end);
    });
    sent.on('error', () => {
      resolve({ status: null, bytes: 0 });
    });
    sent.end(body);
  });
}

/** Sends requests, a limited number at a time. */
export async function sendMany(target: Target, shots: Iterable<Shot>, atOnce: number): Promise<Hit[]> {
  const hits: Hit[] = [];
  const waiting = shots[Symbol.iterator]();
  const client = async (): Promise<void> => {
    for (let next = waiting.next(); next.done !== true; next = waiting.next()) hits.push(await send(target, next.value));
  };
  await Promise.all(Array.from({ length: atOnce }, client));
  return hits;
}

/** A GET of a path that is not encoded. */
export const get = (query: string): Shot => ({ path: encodeURI(query) });

/** A POST of JSON. */
export const post = (path: string, body: object, headers: Readonly<Record<string, string>> = {}): Shot => ({
  method: 'POST',
  path,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

/** A GraphQL operation as JSON. */
export const graphql = (query: string, variables: object = {}): Shot => post('/graphql', { query, variables });

/** `make(0)`, `make(1)`, … one at a time, so that large bodies are not all in memory. */
export function* times(count: number, make: (n: number) => Shot): Generator<Shot> {
  for (let n = 0; n < count; n += 1) yield make(n);
}

/** Sends `make(0)`, `make(1)`, …: as many as the scale says, a limited number at a time. */
export const many =
  ([full, short]: readonly [full: number, short: number], make: (n: number) => Shot, atOnce: number): Attack['run'] =>
  (target, scale) =>
    sendMany(target, times(scale === 'full' ? full : short, make), atOnce);
