import { Agent, request } from 'node:http';
import type { Serving } from './serve.js';

/** The answer to a conditional request. */
export interface Tagged {
  readonly status: number;
  readonly tag: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into answers of every form
  readonly json: any;
}

export interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly token?: string;
}

/** Sends a request by Node itself, because fetch treats conditional headers and 304 in its own way. */
export const sendTo =
  ({ server }: Pick<Serving, 'server'>) =>
  (method: string, path: string, { headers = {}, body, token }: Sent = {}): Promise<Tagged> =>
    new Promise((resolve, reject) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const sent = {
        ...(text !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...headers,
      };
      const outgoing = request(`${server.url}${path}`, { method, headers: sent, agent }, (incoming) => {
        const parts: Buffer[] = [];
        incoming.on('data', (part: Buffer) => parts.push(part));
        incoming.on('end', () => {
          const answered = Buffer.concat(parts).toString();
          const own = incoming.headers as Record<string, string>;
          const isJson = own['content-type']?.startsWith('application/json') === true && own['content-encoding'] === undefined;
          const json: unknown = isJson && answered !== '' ? JSON.parse(answered) : null;
          resolve({ status: incoming.statusCode ?? 0, tag: own['etag'] ?? '', headers: own, text: answered, json });
        });
      });
      outgoing.on('error', reject);
      outgoing.end(text);
    });

const agent = new Agent({ keepAlive: false });

/** Returns the headers of a request for an answer that differs from one with this tag. */
export const unless = (tag: string): Sent => ({ headers: { 'if-none-match': tag } });

/** Returns the headers of a write of an entry with this tag. */
export const ifMatch = (tag: string): Sent['headers'] & object => ({ 'if-match': tag });

/** Resolves when a service has heard of changes within the last second, without which it serves nothing from memory. */
export async function untilHeard({ server }: Pick<Serving, 'server'>): Promise<void> {
  while (server.backend?.store.changes.isCurrent !== true) await new Promise((resolve) => setTimeout(resolve, 10));
}
