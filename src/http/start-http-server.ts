import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { ServerConfig } from '#settings/config.js';
import { Alarm, ifLonger, meanwhile } from '#base/limits/timers.js';
import { cutSlowAnswers } from './cut-slow-answers.js';
import { listenForUpgrades } from './upgrades.js';

/** A running HTTP server. */
export interface HttpServer {
  /** The configured public address, otherwise one that works on this machine; without a trailing slash. */
  readonly url: string;
  /** The address that works on this machine. */
  readonly localUrl: string;
  readonly port: number;
  /**
   * Stops accepting connections, lets requests finish for up to `shutdownTimeout`, then closes their connections. Resolves to the
   * number of interrupted requests. Further calls return the same promise.
   */
  close(): Promise<number>;
}

/** An HTTP server that does not listen yet. Code of a project may add listeners to it. */
export interface PreparedServer {
  readonly server: Server;
  readonly traffic: Traffic;
  /** Handles the requests. Set when the server starts. */
  answer: RequestListener | null;
  /** The paths of routes that take up other protocols. */
  upgrades: ReadonlySet<string>;
}

/** Creates the HTTP server. Its listener for requests is there from the beginning, because WebSocket libraries wrap it. */
export function prepareHttpServer(config: ServerConfig): PreparedServer {
  const server = createServer(optionsOf(config));
  server.maxConnections = config.maxConnections;
  const prepared: PreparedServer = { server, traffic: watchTraffic(server), answer: null, upgrades: new Set() };
  const handle: RequestListener = (request, response) => {
    prepared.traffic.watch(request, response);
    prepared.answer?.(request, response);
  };
  server.on('request', oneAtATime(handle));
  return prepared;
}

/** The number of waiting requests of a connection, and the answer to the last one. */
interface Line {
  last: ServerResponse;
  waiting: number;
}

/** Maximum number of waiting requests per connection. */
const mostWaiting = 100;

/**
 * Handles the requests of a connection one after the other. A client may send further requests before it gets an answer
 * (pipelining), and Node would handle all of them concurrently. One connection could then take the places of thousands, and their
 * answers would wait in memory until the first one is read. Closes a connection with more than 100 waiting requests.
 */
function oneAtATime(handle: RequestListener): RequestListener {
  const lines = new WeakMap<Socket, Line>();
  return (request, response) => {
    const { socket } = request;
    const line = lines.get(socket);
    if (line === undefined) {
      lines.set(socket, { last: response, waiting: 0 });
      handle(request, response);
      return;
    }
    const before = line.last;
    line.last = response;
    if (before.closed) {
      handle(request, response);
      return;
    }
    line.waiting += 1;
    if (line.waiting > mostWaiting) socket.destroy();
    before.once('close', () => {
      line.waiting -= 1;
      if (!socket.destroyed) handle(request, response);
    });
  };
}

interface StartOptions {
  /** A server that was created before. */
  readonly prepared?: PreparedServer;
  /** The environment variable that sets the port. */
  readonly variable?: string;
  /** Called if a connection cannot be accepted, for example because too many files are open. */
  readonly refused?: (error: Error) => void;
}

/** Starts the HTTP server. Rejects with a readable message if the port is in use. */
export async function startHttpServer(
  callback: RequestListener,
  config: ServerConfig,
  { prepared = prepareHttpServer(config), variable = 'PORT', refused = () => undefined }: StartOptions = {},
): Promise<HttpServer> {
  const { server, traffic } = prepared;
  cutSlowAnswers(server, traffic.underWay, config);
  prepared.answer = callback;
  if (prepared.upgrades.size > 0) listenForUpgrades(server, prepared.upgrades, callback);
  const port = await listen(server, config, variable);
  server.on('error', refused); // without a listener the error would end the process
  let closing: Promise<number> | undefined;
  const localUrl = localAddress(config, port);
  const url = config.url?.replace(/\/+$/, '') ?? localUrl;
  return { url, localUrl, port, close: () => (closing ??= drain(server, traffic, config.shutdownTimeout)) };
}

/** Requests and connections that must end before the server stops. */
interface Traffic {
  readonly underWay: ReadonlySet<ServerResponse>;
  readonly sockets: ReadonlySet<Socket>;
  /** Called with each request before it is handled. */
  watch(request: IncomingMessage, response: ServerResponse): void;
}

/** Tracks requests and connections. After the server has stopped listening, answers have the header `Connection: close`. */
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

/**
 * Milliseconds for which the rest of a body is discarded after its answer, so that clients that still send can read the answer.
 */
const lingering = 2_000;

function lingerThenCut(request: IncomingMessage): void {
  const cut = (): void => {
    if (!request.complete) request.socket.destroy();
  };
  new Alarm(cut, { ref: false }).set(lingering);
}

/**
 * Returns the options of the server. Node looks for overdue requests every 30 s by default. request-limits.ts is faster except
 * for uploads.
 */
const optionsOf = ({ headersTimeout, requestTimeout, uploadTimeout, keepAliveTimeout, maxHeaderSize }: ServerConfig) => ({
  headersTimeout,
  requestTimeout: Math.max(requestTimeout, uploadTimeout, headersTimeout),
  keepAliveTimeout,
  maxHeaderSize,
  connectionsCheckingInterval: 2_000,
});

function listen(server: Server, { host, port }: ServerConfig, variable: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE'
          ? new Error(`port ${String(port)} is in use; choose another with ${variable}`, { cause: error })
          : error,
      );
    });
    server.listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

function localAddress({ host }: ServerConfig, port: number): string {
  const name = ['0.0.0.0', '::', '127.0.0.1', '::1'].includes(host) ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${String(port)}`;
}

/**
 * Lets requests finish for up to `limit` milliseconds. `server.close()` also closes idle connections whose next request is on its
 * way. So only the listening socket is closed at first, and the sweeper closes idle connections after one tick. Connections that
 * code has upgraded end when no answers are under way.
 */
async function drain(server: Server, { underWay, sockets }: Traffic, limit: number): Promise<number> {
  const closed = new Promise<void>((resolve) => {
    NetServer.prototype.close.call(server, () => {
      resolve();
    });
  });
  for (const response of underWay) if (!response.headersSent) response.setHeader('Connection', 'close');
  const sweep = (): void => {
    server.closeIdleConnections();
    // Node treats a connection as idle only after its first request.
    const isOver = server.listenerCount('upgrade') > 0 && underWay.size === 0;
    for (const socket of sockets) if (isOver || socket.bytesRead === 0) socket.destroy();
  };
  let interrupted = 0;
  const cut = (): void => {
    interrupted = underWay.size;
    server.closeAllConnections();
    for (const socket of sockets) socket.destroy(); // upgraded ones
  };
  await meanwhile(100, sweep, () => ifLonger(limit, cut, () => closed));
  return interrupted;
}
