import { Agent, request } from 'node:http';

/** An answer, as far as it is compared. */
export interface Sent {
  readonly status: number;
  readonly text: string;
  readonly tag: string | null;
  readonly length: number;
  readonly isHit: boolean;
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

interface Sending {
  readonly token: string | null;
  readonly body?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request by Node itself: fetch would treat conditional headers, HEAD and 304 in its own way. */
export const send = (method: string, url: string, { token, body = null, headers = {} }: Sending): Promise<Sent> =>
  new Promise((resolve, reject) => {
    const own = {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(body !== null && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
      ...headers,
    };
    const outgoing = request(url, { method, agent, headers: own }, (incoming) => {
      const parts: Buffer[] = [];
      incoming.on('data', (part: Buffer) => parts.push(part));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const bytes = Buffer.concat(parts);
        const { statusCode: status = 0, headers: answered } = incoming;
        const length = Number(answered['content-length'] ?? bytes.length);
        const isHit = answered['cache-status'] === 'mangrove; hit';
        resolve({ status, text: bytes.toString(), tag: answered.etag ?? null, length, isHit });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
