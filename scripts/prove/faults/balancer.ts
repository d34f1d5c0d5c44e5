import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A load balancer: passes requests to the instances that are ready in turn, and skips one that does not listen. */
export interface Balancer {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** Listens on any free port. A request has a connection of its own to its instance, so that none is lost with one that is just closed. */
export async function balance(ports: readonly number[]): Promise<Balancer> {
  let turn = 0;
  const ready = new Set(ports);
  const timers = ports.map((port) => setInterval(() => void look(port, ready), 100));
  const server = createServer((incoming, response) => {
    const parts: Buffer[] = [];
    incoming.on('data', (part: Buffer) => parts.push(part));
    incoming.on('end', () => {
      turn += 1;
      const turned = ports.map((_, index) => ports[(turn + index) % ports.length] ?? 0);
      const order = [...turned.filter((port) => ready.has(port)), ...turned.filter((port) => !ready.has(port))];
      send({ incoming, body: Buffer.concat(parts), response }, order);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${String(port)}`,
    close: async () => {
      for (const timer of timers) clearInterval(timer);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function look(port: number, ready: Set<number>): Promise<void> {
  const url = `http://127.0.0.1:${String(port)}/_health/ready`;
  const answer = await fetch(url, { signal: AbortSignal.timeout(1_000) }).catch(() => null);
  if (answer?.status === 200) ready.add(port);
  else ready.delete(port);
}

interface Passage {
  readonly incoming: IncomingMessage;
  readonly body: Buffer;
  readonly response: ServerResponse;
}

function send(passage: Passage, [port, ...others]: readonly number[]): void {
  const { incoming, body, response } = passage;
  const { method, url, headers } = incoming;
  const outgoing = request({
    host: '127.0.0.1',
    port,
    agent: false,
    method,
    path: url,
    headers: { ...headers, connection: 'close' },
  });
  outgoing.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
    answer.on('error', () => response.destroy());
  });
  outgoing.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ECONNREFUSED' && others.length > 0) send(passage, others);
    else if (response.headersSent) response.destroy();
    else response.writeHead(502).end();
  });
  outgoing.end(body);
}
