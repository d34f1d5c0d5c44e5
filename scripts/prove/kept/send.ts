import { Agent, type IncomingMessage, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

/** An answer, as far as it is compared. */
export interface Sent {
  readonly status: number;
  /** Without the compression in which it was sent. */
  readonly text: string;
  readonly isCompressed: boolean;
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

/** The compressions that a request may accept, by their name in Accept-Encoding. */
const decompressors = { gzip: gunzipSync, br: brotliDecompressSync } as const;

export const encodings = Object.keys(decompressors) as (keyof typeof decompressors)[];

/** Returns the bytes of an answer without its compression. Throws an Error if they are not of that form. */
function decompressed(bytes: Buffer, encoding: string): Buffer {
  const known = encodings.find((one) => one === encoding);
  if (known === undefined) throw new Error(`Content-Encoding: ${encoding}`);
  return decompressors[known](bytes);
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
        try {
          resolve(sentOf(incoming, bytes));
        } catch (error) {
          reject(error as Error);
        }
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });

function sentOf({ statusCode: status = 0, headers }: IncomingMessage, bytes: Buffer): Sent {
  const encoding = headers['content-encoding'];
  const isCompressed = encoding !== undefined && bytes.length > 0;
  const text = (isCompressed ? decompressed(bytes, encoding) : bytes).toString();
  const length = Number(headers['content-length'] ?? bytes.length);
  return { status, text, isCompressed, tag: headers.etag ?? null, length, isHit: headers['cache-status'] === 'mangrove; hit' };
}
