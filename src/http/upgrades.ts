import { type IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Context } from 'koa';
import { forbiddenError } from '#base/errors.js';

/** A connection on which a route may go on with another protocol, such as WebSocket. */
export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** What the client has sent after its request. */
  readonly head: Buffer;
}

/** The answer to a request that asks for another protocol. */
class UpgradeResponse extends ServerResponse {
  /** Leaves the connection to a route. The answer ends with it. */
  take(socket: Duplex): void {
    this.statusCode = 101;
    Object.defineProperty(this, 'writableFinished', { value: true });
    this.detachSocket(socket as Parameters<ServerResponse['detachSocket']>[0]); // that of an HTTP server
    socket.once('close', () => this.emit('close'));
  }
}

const upgrades = new WeakMap<IncomingMessage, Upgrade>();

/** Returns whether a request asks for another protocol, and none has been taken up. */
export const asksForUpgrade = ({ req }: Context): boolean => upgrades.has(req);

/**
 * Leaves the connection of a request to its route, which goes on with another protocol. Throws a ForbiddenError for pages of other
 * origins, unless CORS lets them read answers.
 */
export function takeUpgrade(ctx: Context): Upgrade | null {
  const { req, res } = ctx;
  const upgrade = upgrades.get(req);
  if (upgrade === undefined || !(res instanceof UpgradeResponse)) return null;
  if (!isAllowedOrigin(ctx)) throw forbiddenError();
  upgrades.delete(req);
  ctx.respond = false;
  res.take(upgrade.socket);
  return upgrade;
}

function isAllowedOrigin(ctx: Context): boolean {
  const origin = ctx.get('Origin');
  if (origin === '' || origin === `${ctx.protocol}://${ctx.host}`) return true;
  const allowed = ctx.res.getHeader('Access-Control-Allow-Origin');
  return allowed === '*' || allowed === origin;
}

/**
 * Lets requests for other protocols reach the routes at some paths, through all that requests pass. Other requests are answered as if
 * they did not ask, unless code of a project listens too.
 */
export function listenForUpgrades(server: Server, paths: ReadonlySet<string>, answer: RequestListener): void {
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    // Another answer is under way on the connection, and Node would throw. No client sends such a request without waiting for it.
    if (hasAnswer(socket)) return void socket.destroy();
    const { upgrade = '' } = request.headers;
    const [path = ''] = (request.url ?? '').split('?', 1);
    if (upgrade.toLowerCase() === 'websocket' && paths.has(path)) begin({ request, socket, head }, answer);
    else if (server.listenerCount('upgrade') === 1) answerPlainly(server, { request, socket, head });
  });
}

/** Returns whether Node is answering an earlier request of the connection. It notes the answer at the socket. */
const hasAnswer = (socket: Duplex): boolean => ((socket as { readonly _httpMessage?: unknown })._httpMessage ?? null) !== null;

function begin(upgrade: Upgrade, answer: RequestListener): void {
  const { request, socket } = upgrade;
  upgrades.set(request, upgrade);
  const response = new UpgradeResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket as Parameters<ServerResponse['assignSocket']>[0]); // that of an HTTP server
  response.once('finish', () => socket.end());
  answer(request, response);
}

/** Lets the server read the request again without its wish for another protocol, as it does if nobody listens. */
function answerPlainly(server: Server, { request, socket, head }: Upgrade): void {
  const { method = '', url = '', httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2);
    if (!['upgrade', 'connection', 'http2-settings'].includes(name.toLowerCase())) lines.push(`${name}: ${value}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}
