import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';

/** Answers one request itself, by writing to the response. */
export type Answer = (response: ServerResponse) => Promise<void>;

/** What stands between the clients and the server under test. */
export interface Front {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Listens in front of a server and passes every request on, byte for byte, save those that are named in `own` (`POST /path`).
 * So a test can be given routes that are no part of the product.
 */
export async function listenInFront(target: string, port: number, own: ReadonlyMap<string, Answer>): Promise<Front> {
  const agent = new Agent({ keepAlive: true });
  // Longer headers than the server behind takes, so that refusing them is left to it.
  const server = createServer({ maxHeaderSize: 1 << 20, requestTimeout: 0 }, (incoming, response) => {
    const answer = own.get(`${incoming.method ?? ''} ${incoming.url ?? ''}`);
    if (answer) answerAlone(incoming, response, answer);
    else passOn(new URL(target), agent, incoming, response);
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

function passOn(target: URL, agent: Agent, incoming: IncomingMessage, response: ServerResponse): void {
  const { hostname, port } = target;
  const { method, url, rawHeaders } = incoming;
  const outgoing = request({ hostname, port, agent, method, path: url, headers: rawHeaders });
  outgoing.on('response', (answer) => {
    response.sendDate = false;
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, answer.rawHeaders);
    pipeline(answer, response, () => undefined);
  });
  outgoing.on('error', () => response.destroy());
  response.on('close', () => {
    if (!response.writableFinished) outgoing.destroy();
  });
  incoming.pipe(outgoing);
}
