import { countExceeded } from '#base/limits/exceeded.js';
import type { Observer } from '#base/observe/observer.js';
import {
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';
import type { Handler, RequestParams, Response } from 'graphql-http';
import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import type { Caller } from '#content/rights/caller.js';
import type { Config } from '#settings/config.js';
import type { ForbiddenError } from '#base/errors.js';
import type { Answer } from '#http/route.js';
import { isRecord } from '#base/values.js';
import { cacheControlOf } from '../execute/cache-control.js';
import { executeOperation } from '../execute/execute-operation.js';
import { type GraphqlContext, noteMore } from '../graphql-context.js';
import { lasts, notOverJson } from '../live/operation.js';
import type { NamedOperation } from './document-parts.js';
import { chooseOperation, createDocuments, type Documents } from './documents.js';
import { coded, createErrorFormat, type FormatError } from './format-error.js';
import type { GraphqlSettings } from './graphql-settings.js';
import {
  answerOf,
  createPersistedQueries,
  failureResponse,
  type FindQuery,
  jsonOf,
  jsonResponse,
  readParameters,
} from './read-parameters.js';
import { undoing } from './keyed-mutations.js';
import { refuseEnded, refuseWrites } from './refuse-ended.js';

/** The options of an endpoint. */
export interface Endpoint {
  readonly handle: OperationHandler;
  /** Returns the operation of a request; null if there is none, or it cannot be read. */
  readonly find: (request: OperationRequest) => NamedOperation | null;
  /** Returns the operation of a query text; null if there is none. */
  readonly findIn: Documents['find'];
  /** Returns the parameters of a request; the response if they are invalid. */
  readonly read: (request: Pick<OperationRequest, 'method' | 'url' | 'body'>, config: Config) => RequestParams | Response;
  readonly documents: Documents;
  readonly format: FormatError;
  /** Returns the answer to a request whose files the caller may not send, as if its mutation had been executed. */
  readonly forbid: (error: ForbiddenError) => Answer;
  /** Maximum number of operations in a batch; 0 refuses batches. */
  readonly batch: number;
}

type OperationRequest = Parameters<OperationHandler>[0];

/** Creates an endpoint with graphql-http. */
export function createEndpoint(settings: GraphqlSettings, observer: Observer): Endpoint {
  const documents = createDocuments(settings);
  const findQuery = createPersistedQueries();
  const format = createErrorFormat({
    ...settings,
    report: (err) => {
      observer.observe({ kind: 'failed', work: 'graphql request', err });
    },
    count: (error) => {
      countExceeded(error, observer);
    },
  });
  let handler: Promise<OperationHandler> | undefined;
  return {
    handle: async (request) => (await (handler ??= createOperationHandler(documents, findQuery, format)))(request),
    find: (request) => {
      const parameters = readParameters(request, findQuery);
      return 'query' in parameters ? documents.find(parameters.query, parameters.operationName ?? null) : null;
    },
    findIn: documents.find,
    read: (request, config) => readParameters({ ...request, context: { config } }, findQuery),
    ...{ documents, format },
    forbid: (error) => answerOf(jsonResponse(200, { errors: [format(error)], data: null })),
    batch: settings.limits.batch,
  };
}

/**
 * Answers one HTTP request, with one operation or a batch. `body` is decoded JSON. Throws an UnauthorizedError if the token of
 * the caller has expired, unless the operations ignore that.
 */
export async function handleRequest(ctx: Context, body: unknown, state: RequestState, endpoint: Endpoint): Promise<Answer> {
  const { isBatch, requests } = requestsOf(ctx, body, state);
  const { caller } = state;
  if (caller.access.entry !== undefined) refuseWrites(requests.map(endpoint.find));
  if (caller.kind === 'public' && caller.ended !== null) refuseEnded(caller.ended, requests.map(endpoint.find), state);
  const [request] = requests;
  return answerOf(isBatch || request === undefined ? await handleBatch(requests, endpoint) : await endpoint.handle(request));
}

/** Returns the operations of an HTTP request, which were not validated; null for those that cannot be read. */
export const operationsOf = (ctx: Context, body: unknown, state: RequestState, { find }: Endpoint): (NamedOperation | null)[] =>
  requestsOf(ctx, body, state).requests.map(find);

interface Requests {
  readonly isBatch: boolean;
  readonly requests: readonly OperationRequest[];
}

function requestsOf(ctx: Context, body: unknown, context: RequestState): Requests {
  const operation = isRecord(body) && Object.keys(body).length > 0 ? body : null;
  const request = { method: ctx.method, url: ctx.url, headers: headersOf(ctx), body: operation, raw: ctx.req, context };
  const isBatch = ctx.method === 'POST' && Array.isArray(body) && body.length > 0;
  return { isBatch, requests: isBatch ? body.map((member) => memberOf(request, member)) : [request] };
}

/** Returns a member of a batch as a separate request. */
const memberOf = (request: OperationRequest, member: unknown): OperationRequest => ({
  ...request,
  body: isRecord(member) ? member : {},
});

/**
 * Returns the headers with a fixed `Accept`, because Strapi v4 has the same answer for all media types, but graphql-http refuses
 * some with 406. With this value graphql-http has the statuses of Strapi v4, such as 400 for an invalid document.
 */
const headersOf = (ctx: Context): OperationRequest['headers'] => ({
  get: (name) => (name === 'accept' ? 'application/graphql-response+json' : ctx.get(name)),
});

/** Answers all members of a batch in one response with status 200, because graphql-http does not support batches. */
async function handleBatch(members: readonly OperationRequest[], { handle, batch }: Endpoint): Promise<Response> {
  if (batch === 0) return failureResponse(400, 'Operation batching disabled.');
  if (members.length > batch) return failureResponse(400, `More than ${String(batch)} operations in one request.`);
  const bodies: string[] = [];
  // One after the other, so that a batch does not take more resources at a time than a single request.
  for (const member of members) bodies.push(jsonOf(await handle(member)));
  return [`[${bodies.join(',')}]`, { status: 200, statusText: '' }];
}

/** The state of one request. Each operation of a batch has a separate context. */
export interface RequestState {
  readonly schema: GraphQLSchema;
  readonly caller: Caller;
  readonly config: Config;
  readonly createContext: () => GraphqlContext;
}

type OperationHandler = Handler<IncomingMessage, RequestState>;

/** Creates the handler. graphql-http is loaded with the first request. */
async function createOperationHandler(
  documents: Documents,
  findQuery: FindQuery,
  formatError: FormatError,
): Promise<OperationHandler> {
  const { createHandler } = await import('graphql-http');
  return createHandler<IncomingMessage, RequestState, Record<PropertyKey, unknown>>({
    parseRequestParams: (request) => readParameters(request, findQuery),
    schema: ({ context }) => context.schema,
    context: ({ context }) => ({ ...context.createContext() }),
    parse: documents.parse,
    validate: documents.validate,
    validationRules: () => [],
    // `execute` chooses the operation, because graphql-http has other messages for a missing one and for a mutation by GET.
    getOperationAST: () => anyOperation,
    execute: runOperation,
    onOperation: (_request, args, result) => {
      if (!('data' in result)) return refuse(result.errors ?? [], formatError);
      const context = args.contextValue as unknown as GraphqlContext; // returned by `context`
      const { tracer, running, caller, isKeyed } = context;
      if (result.errors !== undefined) noteMore(context); // which may not occur again
      if (isKeyed && result.errors !== undefined) throw undoing(result.errors, formatError);
      for (const { originalError } of result.errors ?? []) running.explainRefusal(originalError, caller);
      const traced = tracer === null ? result : { ...result, extensions: { ...result.extensions, tracing: tracer.finish() } };
      // Serialized here, because graphql-http would call a function for each value.
      return result.errors === undefined ? jsonResponse(200, traced, cachingOf(args, result)) : traced;
    },
    formatError,
  });
}

/** Returns the headers by which code lets caches keep an answer. */
function cachingOf(args: ExecutionArgs, { data }: ExecutionResult): Readonly<Record<string, string>> {
  const { cacheHints: hints } = args.contextValue as GraphqlContext; // all contexts are of this type
  if (hints.size === 0 && !args.schema.getDirective('cacheControl')) return {};
  const operation = chooseOperation(args.document, args.operationName ?? null);
  const header = operation instanceof GraphQLError ? null : cacheControlOf(args, operation, { data, hints });
  return header === null ? {} : { 'cache-control': header };
}

const anyOperation: OperationDefinitionNode = {
  kind: Kind.OPERATION_DEFINITION,
  operation: OperationTypeNode.QUERY,
  selectionSet: { kind: Kind.SELECTION_SET, selections: [] },
};

/** Returns the response to an operation that was not executed, because graphql-http would send it with status 200. */
const refuse = (errors: readonly GraphQLError[], format: FormatError): Response =>
  jsonResponse(errors[0] === mutationByGet ? 405 : 400, { errors: errors.map(format) });

/** The error of a mutation by GET, which is answered with 405. */
const mutationByGet = new GraphQLError('GET supports only query operation');

/**
 * Runs the operation of a request, whose document is valid. A result without data means that it was not executed, because the
 * operation does not exist or a variable is invalid.
 */
async function runOperation(args: ExecutionArgs): Promise<ExecutionResult> {
  const operation = chooseOperation(args.document, args.operationName ?? null);
  if (operation instanceof GraphQLError) return { errors: [operation] };
  if (lasts(operation)) return { errors: [notOverJson(operation, args.schema)] };
  const context = args.contextValue as GraphqlContext; // all contexts are of this type
  if (operation.operation === 'mutation' && context.koaContext.method === 'GET') return { errors: [mutationByGet] };
  if (operation.operation !== 'query') noteMore(context);
  const result = await executeOperation(args);
  if ('data' in result) return result;
  return { ...result, errors: (result.errors ?? []).map((error) => coded(error, 'BAD_USER_INPUT')) };
}
