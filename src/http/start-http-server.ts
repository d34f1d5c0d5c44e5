import { createServer } from 'node:http';
import { Server as NetServer } from 'node:net';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ServerConfig } from '../config/config.js';
import { cutSlowAnswers } from './cut-slow-answers.js';
import { oneAtATime } from './one-at-a-time.js';

/** A server that listens. */
export interface HttpServer {
  /** Without a slash at the end: the configured public address, else one that works on this machine. */
  readonly url: string;
  readonly port: number;
  /**
   * Stops accepting connections, lets requests finish for at most `shutdownTimeout`, then cuts the rest. Returns the number of
   * cut requests; a second call returns the same promise.
   */
  close(): Promise<number>;
}

/** Serves HTTP. Rejects with a message for people where the port is taken. */
export async function startHttpServer(callback: RequestListener, config: ServerConfig): Promise<HttpServer> {
  const server = createServer(optionsOf(config));
  server.maxConnections = config.maxConnections;
  const traffic = watchTraffic(server);
  cutSlowAnswers(server, traffic.underWay, config);
  server.on(
    'request',
    oneAtATime((request, response) => {
      traffic.watch(request, response);
      callback(request, response);
    }),
  );
  const port = await listen(server, config);
  let closing: Promise<number> | undefined;
  return { url: addressOf(config, port), port, close: () => (closing ??= drain(server, traffic, config.shutdownTimeout)) };
}

/** Requests and connections that must end before the server has stopped. */
interface Traffic {
  readonly underWay: ReadonlySet<ServerResponse>;
  readonly sockets: ReadonlySet<Socket>;
  /** Called with each request before it is handled. */
  watch(request: IncomingMessage, response: ServerResponse): void;
}

/** Tracks requests and connections. After the stop, answers have the header `Connection: close`. */
function watchTraffic(server: Server): Traffic {
  const underWay = new Set<ServerResponse>();
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const watch: Traffic['watch'] = (request, response) => {
    underWay.add(response);
    response.once('close', () => {
      underWay.delete(response);
      if (response.writableFinished && !request.complete) lingerThenCut(request);
    });
    if (!server.listening) response.setHeader('Connection', 'close');
  };
  return { underWay, sockets, watch };
}

/** Milliseconds for which the rest of a body is read past after its answer, so that clients that still send can read the answer. */
const lingering = 2_000;

function lingerThenCut(request: IncomingMessage): void {
  setTimeout(() => {
    if (!request.complete) request.socket.destroy();
  }, lingering).unref();
}

/** Node looks for overdue requests every 30 s by default; request-limits.ts cuts sooner where no file is sent. */
const optionsOf = ({ headersTimeout, requestTimeout, uploadTimeout, keepAliveTimeout, maxHeaderSize }: ServerConfig) => ({
  headersTimeout,
  requestTimeout: Math.max(requestTimeout, uploadTimeout, headersTimeout),
  keepAliveTimeout,
  maxHeaderSize,
  connectionsCheckingInterval: 2_000,
});

function listen(server: Server, { host, port }: ServerConfig): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE'
          ? new Error(`port ${String(port)} is in use; choose another with PORT`, { cause: error })
          : error,
      );
    });
    server.listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

function addressOf({ url, host }: ServerConfig, port: number): string {
  if (url !== null) return url.replace(/\/+$/, '');
  const name = ['0.0.0.0', '::', '127.0.0.1', '::1'].includes(host) ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${String(port)}`;
}

/**
 * `server.close()` ends idle connections at once, including those whose next request is on its way. So only the listening socket
 * is closed first, and each connection has one tick of the sweeper to send a request.
 */
async function drain(server: Server, { underWay, sockets }: Traffic, limit: number): Promise<number> {
  const closed = new Promise<void>((resolve) => {
    NetServer.prototype.close.call(server, () => {
      resolve();
    });
  });
  for (const response of underWay) if (!response.headersSent) response.setHeader('Connection', 'close');
  const sweeper = setInterval(() => {
    server.closeIdleConnections();
    // Node considers a connection idle only after its first request.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  }, 100);
  let cut = 0;
  const deadline = setTimeout(() => {
    cut = underWay.size;
    server.closeAllConnections();
  }, limit);
  await closed;
  clearInterval(sweeper);
  clearTimeout(deadline);
  return cut;
}
