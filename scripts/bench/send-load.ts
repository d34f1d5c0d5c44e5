import { Agent, request } from 'node:http';
import type { HttpRequest } from './questions.js';

/** The results of the requests of one measurement. */
export interface Load {
  readonly requests: number;
  readonly seconds: number;
  /** Milliseconds of each request, ascending. */
  readonly latencies: Float64Array;
}

export interface LoadOptions {
  readonly connections: number;
  readonly seconds: number;
}

/**
 * Keeps `connections` requests under way for `seconds`, each on a connection that stays open; `ask` returns them one after the
 * other. Anything but an answer of 2xx is an error.
 */
export async function sendLoad(url: string, ask: () => HttpRequest, { connections, seconds }: LoadOptions): Promise<Load> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const latencies: number[] = [];
  const started = performance.now();
  const end = started + seconds * 1_000;
  const client = async (): Promise<void> => {
    for (let now = performance.now(); now < end;) {
      await send(url, ask(), agent);
      const then = performance.now();
      latencies.push(then - now);
      now = then;
    }
  };
  try {
    await Promise.all(Array.from({ length: connections }, client));
  } finally {
    agent.destroy();
  }
  const elapsed = (performance.now() - started) / 1_000;
  return { requests: latencies.length, seconds: elapsed, latencies: Float64Array.from(latencies).sort() };
}

/** Sends one request and returns the body of the answer. */
export function send(
  url: string,
  { method, path, body, form, authorization, encoding, headers: others, key, isKnown }: HttpRequest,
  agent: Agent,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const headers = {
      ...others,
      ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
      ...(form !== undefined && { 'content-type': form.type, 'content-length': form.bytes.length }),
      ...(authorization !== undefined && { authorization }),
      ...(encoding !== undefined && { 'accept-encoding': encoding }),
      ...(key !== undefined && { 'idempotency-key': key }),
      ...(isKnown && { 'if-none-match': '*' }),
    };
    const outgoing = request(url + path, { method, headers, agent }, (response) => {
      const chunks: Buffer[] = [];
      const { statusCode = 0 } = response;
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const answer = Buffer.concat(chunks);
        if (isKnown ? statusCode === 304 : statusCode >= 200 && statusCode < 300) resolve(answer);
        else reject(new Error(`${method} ${path} -> ${String(statusCode)} ${answer.toString().slice(0, 300)}`));
      });
    });
    outgoing.on('error', reject);
    outgoing.end(form?.bytes ?? body);
  });
}
