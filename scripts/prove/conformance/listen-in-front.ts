import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';

/** Answers one request itself, by writing to the response. */
export type Answer = (response: ServerResponse) => Promise<void>;

/** A request and the answer to it. */
export interface Exchange {
  readonly method: string;
  /** With the query string. */
  readonly url: string;
  readonly status: number;
  /** Content-Type of the answer. */
  readonly type: string;
  readonly body: Buffer;
}

/** A proxy between the clients and the server under test. */
export interface Front {
  readonly url: string;
  close(): Promise<void>;
}

export interface FrontInput {
  /** Address of the server behind. */
  readonly target: string;
  /** 0: any free port. */
  readonly port: number;
  readonly own: ReadonlyMap<string, Answer>;
  /** Called with every answer that was passed on. */
  readonly observe?: ((exchange: Exchange) => void) | undefined;
}

/**
 * Listens in front of a server and passes every request on, byte for byte, except those named in `own` (`POST /path`).
 * So tests can have routes that are not part of the product.
 */
export async function listenInFront({ target, port, own, observe }: FrontInput): Promise<Front> {
  const agent = new Agent({ keepAlive: true });
  // Longer headers than the server behind takes, so that refusing them is left to it.
  const server = createServer({ maxHeaderSize: 1 << 20, requestTimeout: 0 }, (incoming, response) => {
    const answer = own.get(`${incoming.method ?? ''} ${incoming.url ?? ''}`);
    if (answer) answerAlone(incoming, response, answer);
    else passOn({ target: new URL(target), agent, observe }, incoming, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  // Listening on a port: the address is never a pipe's name.
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(address.port)}`,
    close: async () => {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answerAlone(incoming: IncomingMessage, response: ServerResponse, answer: Answer): void {
  incoming.resume();
  answer(response).catch((error: unknown) => {
    console.error(error);
    response.writeHead(500).end(String(error));
  });
}

interface Passage extends Pick<FrontInput, 'observe'> {
  readonly target: URL;
  readonly agent: Agent;
}

function passOn({ target, agent, observe }: Passage, incoming: IncomingMessage, response: ServerResponse): void {
  const { hostname, port } = target;
  const { method, url, rawHeaders } = incoming;
  const outgoing = request({ hostname, port, agent, method, path: url, headers: rawHeaders });
  outgoing.on('response', (answer) => {
    response.sendDate = false;
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, answer.rawHeaders);
    if (observe !== undefined) report(incoming, answer, observe);
    pipeline(answer, response, () => undefined);
  });
  outgoing.on('error', () => response.destroy());
  response.on('close', () => {
    if (!response.writableFinished) outgoing.destroy();
  });
  incoming.pipe(outgoing);
}

function report(
  { method = '', url = '' }: IncomingMessage,
  answer: IncomingMessage,
  observe: (exchange: Exchange) => void,
): void {
  const parts: Buffer[] = [];
  answer.on('data', (part: Buffer) => parts.push(part));
  answer.on('end', () => {
    const { statusCode: status = 0, headers } = answer;
    const body = decompress(Buffer.concat(parts), headers['content-encoding']);
    observe({ method, url, status, type: headers['content-type'] ?? '', body });
  });
}

function decompress(body: Buffer, encoding: string | undefined): Buffer {
  if (encoding === undefined || body.length === 0) return body;
  if (encoding === 'br') return brotliDecompressSync(body);
  return encoding === 'gzip' ? gunzipSync(body) : inflateSync(body);
}
