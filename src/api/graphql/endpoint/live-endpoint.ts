import { GraphQLError } from 'graphql';
import type { Context } from 'koa';
import { refusedToken } from '#base/errors.js';
import { isRecord } from '#base/values.js';
import type { Answer, RouteCall } from '#http/route.js';
import { answerStream } from '../live/answer-stream.js';
import { argsOf, lasts, type LiveEndpoint, type LiveOperation, type Refusal } from '../live/operation.js';
import { answerSocket } from '../live/answer-socket.js';
import { transportOf, wrapped } from '../live/transports.js';
import { executeOperation } from '../execute/execute-operation.js';
import type { GraphqlContext } from '../graphql-context.js';
import type { CurrentSchema, SchemaSnapshot } from './current-schema.js';
import { chooseOperation } from './documents.js';
import type { GraphqlSettings } from './graphql-settings.js';
import type { Endpoint, RequestState } from './operation-handler.js';
import { jsonOf } from './read-parameters.js';

interface LiveInput {
  readonly settings: GraphqlSettings;
  readonly schema: Pick<CurrentSchema, 'read'>;
  readonly endpoint: Endpoint;
  readonly createState: (ctx: Context, call: LiveCall) => Pick<RequestState, 'createContext'>;
}

interface LiveCall extends RouteCall, Pick<GraphqlContext, 'staging' | 'isKeyed'> {
  readonly snapshot: SchemaSnapshot;
  readonly settings: GraphqlSettings;
}

/** Answers operations that last. */
interface Live {
  /** Returns whether there are subscriptions in the schema in force. */
  readonly isServed: () => Promise<boolean>;
  /** Answers an operation that lasts by the transport that the client accepts. `rest` answers others. */
  readonly answer: (ctx: Context, call: RouteCall, rest: () => Promise<Answer>) => Promise<Answer>;
  /** Goes on with the connection of a request by WebSocket. */
  readonly answerSocket: (ctx: Context, call: RouteCall) => Promise<null>;
}

/** Returns what answers operations that last. */
export function createLive(input: LiveInput): Live {
  const endpoint = liveEndpoint(input);
  const answer: Live['answer'] = async (ctx, call, rest) => {
    const transport = transportOf(call.request.headers.accept);
    const snapshot = transport === null ? null : await input.schema.read();
    if (transport === null || !snapshot?.schema.getSubscriptionType()) return rest();
    const { body } = call.request;
    const operation = endpoint.accept({ method: ctx.method, url: ctx.url, body: isRecord(body) ? body : null }, call, snapshot);
    if ('errors' in operation || !lasts(operation.operation)) {
      const answered = await rest();
      return transport.isForAll ? wrapped(answered, transport) : answered;
    }
    const { caller } = call;
    if (caller.kind === 'public' && caller.ended !== null) throw refusedToken(caller.ended);
    return answerStream(ctx, call, { operation, endpoint, transport });
  };
  return {
    isServed: async () => Boolean((await input.schema.read()).schema.getSubscriptionType()),
    answer,
    answerSocket: (ctx, call) => answerSocket(ctx, call, endpoint),
  };
}

function liveEndpoint({ settings, schema, endpoint, createState }: LiveInput): LiveEndpoint {
  const { documents, format } = endpoint;
  const formatted = (errors: readonly Error[]): Refusal => ({
    errors: errors.map(format) as Refusal['errors'], // which JSON makes of them
  });
  return {
    read: () => schema.read(),
    accept: (request, { running }, snapshot) => {
      const parameters = endpoint.read(request, running.config);
      if (!('query' in parameters)) return JSON.parse(jsonOf(parameters)) as Refusal; // as the endpoint has written it
      const { query, variables, operationName = null } = parameters;
      const found = documentOf(query, operationName, snapshot, documents);
      return 'errors' in found ? formatted(found.errors) : { ...snapshot, ...found, operationName, variables: variables ?? {} };
    },
    acceptAgain: (operation, snapshot) => {
      if (operation.schema === snapshot.schema) return operation;
      const errors = documents.validate(snapshot.schema, operation.document);
      return errors.length > 0 ? formatted(errors) : { ...operation, ...snapshot };
    },
    contextOf: (ctx, call, snapshot) =>
      createState(ctx, { ...call, staging: null, isKeyed: false, snapshot, settings }).createContext(),
    run: async (operation, context, root) => {
      const { data, errors } = await executeOperation(argsOf(operation, context, root));
      for (const { originalError } of errors ?? []) context.running.explainRefusal(originalError, context.caller);
      return { ...(errors !== undefined && formatted(errors)), ...(data !== undefined && { data }) };
    },
    format: formatted,
  };
}

/** Returns the document of a query text, and the operation to run; the errors if there is none, or the document is not valid. */
function documentOf(
  query: string,
  name: string | null,
  { schema }: SchemaSnapshot,
  { parse, validate }: Endpoint['documents'],
): Pick<LiveOperation, 'document' | 'operation'> | { readonly errors: readonly GraphQLError[] } {
  try {
    const document = parse(query);
    const errors = validate(schema, document);
    const operation = chooseOperation(document, name);
    if (errors.length > 0) return { errors };
    return operation instanceof GraphQLError ? { errors: [operation] } : { document, operation };
  } catch (error) {
    if (error instanceof GraphQLError) return { errors: [error] };
    throw error;
  }
}
