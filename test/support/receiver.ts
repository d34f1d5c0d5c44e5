import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that a receiver has got. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into bodies of every form
  readonly body: any;
}

type Reply = (response: ServerResponse, received: Received) => void;

/** A server that keeps what it receives. */
export class Receiver {
  readonly received: Received[] = [];
  #waiting: (() => void)[] = [];
  readonly #server;

  constructor(reply: Reply = (response) => void response.end('thanks')) {
    this.#server = createServer((request, response) => {
      void read(request).then((received) => {
        this.received.push(received);
        for (const wake of this.#waiting.splice(0)) wake();
        reply(response, received);
      });
    });
  }

  async listen(port = 0): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port; // it listens on a port
  }

  url(path = '/'): string {
    return `http://127.0.0.1:${String(this.port)}${path}`;
  }

  /** Resolves when a condition on the requests so far is met, by default that there are as many. The limit of the test ends the wait. */
  async until(isMet: number | ((received: readonly Received[]) => boolean)): Promise<readonly Received[]> {
    const isEnough = typeof isMet === 'number' ? () => this.received.length >= isMet : () => isMet(this.received);
    while (!isEnough()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.received;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

async function read(request: IncomingMessage): Promise<Received> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const text = Buffer.concat(pieces).toString();
  return { path: request.url ?? '', headers: request.headers, text, body: text === '' ? null : JSON.parse(text) };
}
