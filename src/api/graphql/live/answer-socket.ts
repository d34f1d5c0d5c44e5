import { type FormattedExecutionResult, GraphQLError } from 'graphql';
import type { Context as SocketContext, Server, SubscribePayload } from 'graphql-ws';
import type { Context } from 'koa';
import type { WebSocketServer } from 'ws';
import { ApiError, badRequestError, messageOf, rateLimitError } from '#base/errors.js';
import { isRecord } from '#base/values.js';
import { checkJson } from '#http/receive-body.js';
import type { RouteCall } from '#http/route.js';
import { notRunning } from '#http/running.js';
import { identifyClient, keyRefusal, type LiveClient, refuseEntryKey, senderOf } from './client.js';
import { countConnection, openOperation, type LiveResult, type Results } from './connection.js';
import { lasts, type LiveEndpoint, type LiveOperation, type Refusal } from './operation.js';
import { Socket } from './socket.js';

/** Maximum number of operations of a connection. */
const mostOperations = 20;

/** Milliseconds in which a client must say who it is. */
const initTimeout = 10_000;

/** The codes with which connections are closed. A client may connect again after all but that of a bad request. */
const codes = { goingAway: 1001, tryAgain: 1012, badRequest: 4400, forbidden: 4403 } as const;

/** A connection. */
interface Connected {
  client: LiveClient;
  /** Ends the count of the connection under its caller. */
  leave: () => void;
  /** Closes the connection of a client that has sent a preview token. */
  readonly refuseKey: () => void;
}

type Extra = Record<PropertyKey, unknown> & { readonly connected: Connected };

interface Protocol {
  readonly server: Server<Extra>;
  readonly sockets: WebSocketServer;
}

const protocols = new WeakMap<LiveEndpoint, Promise<Protocol>>();

/** Answers a request for a WebSocket. Throws an ApiError if it has a preview token, or too many clients wait for changes. */
export async function answerSocket(ctx: Context, call: RouteCall, endpoint: LiveEndpoint): Promise<null> {
  refuseEntryKey(call);
  const protocol = protocols.get(endpoint) ?? loadProtocol(endpoint, call);
  protocols.set(endpoint, protocol);
  const { server, sockets } = await protocol;
  const ends = call.last?.() ?? notRunning();
  const fail = (error: unknown): void => {
    if (error instanceof ApiError && error.status < 500) socket?.close(codes.forbidden, 'Forbidden');
    else socket?.close(codes.tryAgain, 'Please try again');
  };
  const client: LiveClient = { ctx, call, sender: senderOf(ctx, call, ends), ends, fail };
  const refuseKey = (): void => socket?.close(codes.badRequest, keyRefusal);
  const connected: Connected = { client, leave: countConnection(client), refuseKey };
  let socket: Socket | null = null;
  const { request, socket: connection, head } = call.upgrade?.() ?? notRunning();
  sockets.handleUpgrade(request, connection, head, (accepted) => {
    socket = new Socket(accepted, connected.client);
    const closed = server.opened(socket, { connected });
    accepted.once('close', (code: number, reason: Buffer) => void closed(code, String(reason)));
    ends.addEventListener('abort', () => {
      socket?.close(codes.goingAway, 'Going away');
    });
    socket.watch(async () => {
      await identifyClient(connected.client).catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 401) fail(error);
      });
    });
  });
  return null;
}

/** Loads the packages of the protocol, with the first connection. */
async function loadProtocol(endpoint: LiveEndpoint, { running: { config } }: RouteCall): Promise<Protocol> {
  const [{ handleProtocols, makeServer }, { WebSocketServer }] = await Promise.all([import('graphql-ws'), import('ws')]);
  const server = makeServer<Record<string, unknown>, Extra>({
    connectionInitWaitTimeout: initTimeout,
    onConnect: ({ connectionParams, extra }) => admit(extra.connected, connectionParams),
    onSubscribe: async (socket, _id, payload) => {
      const accepted = await acceptOperation(socket, payload, endpoint);
      if ('errors' in accepted) return accepted.errors.map(asGraphqlError);
      const { schema, document, operationName, variables: variableValues } = accepted.operation;
      return { schema, document, operationName, variableValues, contextValue: accepted };
    },
    execute: ({ contextValue }) => open(contextValue as Accepted, endpoint) as never, // what onSubscribe returns; any result is sent
    subscribe: ({ contextValue }) => open(contextValue as Accepted, endpoint) as never, // the same
    onNext: (_socket, _id, _payload, _args, result) => result as FormattedExecutionResult, // sent as JSON has it
  });
  const maxPayload = config.middlewares.body.jsonLimit;
  const options = { noServer: true, clientTracking: false, perMessageDeflate: false, handleProtocols, maxPayload };
  return { server, sockets: new WebSocketServer(options) };
}

/**
 * Returns what a client sends in the place of a header when it is connected, because browsers cannot send headers with a WebSocket. Null
 * is none. Other values than texts are returned too, so that credentials of a wrong form are refused.
 */
function headerIn(params: unknown, header: string): unknown {
  const entries = isRecord(params) ? Object.entries(params) : [];
  return entries.find(([name, value]) => name.toLowerCase() === header && value !== null)?.[1];
}

/** Identifies the caller of a connection. Returns false if it may not use it. */
async function admit(connected: Connected, params: unknown): Promise<boolean> {
  if (headerIn(params, 'x-preview-token') !== undefined) {
    connected.refuseKey();
    return false;
  }
  const authorization = headerIn(params, 'authorization');
  if (authorization !== undefined && typeof authorization !== 'string') return false;
  const { client } = connected;
  try {
    if (authorization !== undefined) await charge(client);
    const { request } = client.call;
    const headers = { ...request.headers, ...(authorization !== undefined && { authorization }) };
    const call = { ...client.call, request: request.with(request.params, { headers }) };
    const known = { ...call, ...(await identifyClient({ ...client, call })) };
    if (known.caller.kind === 'public' && known.caller.publicRoleIsEmpty) return false;
    connected.leave();
    connected.client = { ...client, call: known, sender: senderOf(client.ctx, known, client.ends) };
    connected.leave = countConnection(connected.client);
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** Counts a request of the caller. Throws a RateLimitError for too many. */
async function charge({ call: { running }, sender }: LiveClient): Promise<void> {
  const attempt = await running.limiter?.countAgain(sender);
  if (attempt?.isOver === true) throw rateLimitError();
}

/** Throws an ApiError for what a body may not contain: clients of a WebSocket see no others. */
function checkPayload(payload: SubscribePayload, depth: number): void {
  try {
    checkJson(payload, depth, 'payload');
  } catch (error) {
    throw error instanceof ApiError ? error : badRequestError(messageOf(error));
  }
}

/** An operation of a connection, with its caller at that time. */
interface Accepted {
  readonly operation: LiveOperation;
  readonly client: LiveClient;
}

async function acceptOperation(
  { subscriptions, extra }: SocketContext<Record<string, unknown>, Extra>,
  payload: SubscribePayload,
  endpoint: LiveEndpoint,
): Promise<Accepted | Refusal> {
  const { client } = extra.connected;
  const { running } = client.call;
  try {
    if (Object.keys(subscriptions).length > mostOperations)
      throw rateLimitError(`A connection has at most ${String(mostOperations)} operations`);
    await charge(client);
    checkPayload(payload, running.config.middlewares.body.jsonDepth);
    const call = { ...client.call, ...(await identifyClient(client)) };
    const operation = endpoint.accept({ method: 'POST', url: '', body: { ...payload } }, call, await endpoint.read());
    return 'errors' in operation ? operation : { operation, client: { ...client, call } };
  } catch (error) {
    return refuse(error, client, endpoint);
  }
}

/** Returns the errors of an operation. Ends the connection of a caller whose credentials are no longer valid. */
function refuse(error: unknown, client: LiveClient, endpoint: LiveEndpoint): Refusal {
  if (error instanceof ApiError && error.status === 401) client.fail(error);
  return endpoint.format([error instanceof Error ? error : new Error(String(error))]);
}

const asGraphqlError = (error: Refusal['errors'][number]): GraphQLError =>
  error instanceof GraphQLError ? error : new GraphQLError(error.message, { extensions: error.extensions ?? {} });

/** Begins an operation, or executes one with a single result. */
async function open({ operation, client }: Accepted, endpoint: LiveEndpoint): Promise<Results | LiveResult> {
  try {
    if (lasts(operation.operation)) return await openOperation(operation, client, endpoint);
    return await endpoint.run(operation, endpoint.contextOf(client.ctx, client.call, operation));
  } catch (error) {
    return refuse(error, client, endpoint);
  }
}
