import { createHash } from 'node:crypto';
import {
  type DocumentNode,
  type ExecutionArgs,
  type FormattedExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
} from 'graphql';
import type { Context } from 'koa';
import type { Values } from '#base/values.js';
import type { RouteCall } from '#http/route.js';
import type { Registry } from '#model/schema/content-type.js';
import { findCompiled } from '../execute/compile-operation.js';
import type { GraphqlContext } from '../graphql-context.js';

/** A schema and the registry that it was built from. */
interface Snapshot {
  readonly schema: GraphQLSchema;
  readonly registry: Registry;
}

/** An operation whose document is valid in the schema. */
export interface LiveOperation extends Snapshot {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly operationName: string | null;
  /** As they were sent. */
  readonly variables: Record<string, unknown>;
}

/** What an operation is answered that is not valid. */
export type Refusal = Required<Pick<FormattedExecutionResult, 'errors'>>;

/** What has the parameters of an operation: the URL of a GET, or the decoded JSON of a POST. */
interface ParametersRequest {
  readonly method: string;
  readonly url: string;
  readonly body: Values | null;
}

/** What the endpoint of GraphQL does for operations that last. */
export interface LiveEndpoint {
  readonly read: () => Promise<Snapshot>;
  /** Reads and validates the parameters of an operation. */
  readonly accept: (request: ParametersRequest, call: RouteCall, snapshot: Snapshot) => LiveOperation | Refusal;
  /** Returns the operation if it is valid in another schema too. */
  readonly acceptAgain: (operation: LiveOperation, snapshot: Snapshot) => LiveOperation | Refusal;
  /** Returns the context of resolvers for the caller of a request. */
  readonly contextOf: (ctx: Context, call: RouteCall, snapshot: Snapshot) => GraphqlContext;
  /** Executes an operation, and returns the result as clients get it. */
  readonly run: (operation: LiveOperation, context: GraphqlContext, root?: unknown) => Promise<FormattedExecutionResult>;
  readonly format: (errors: readonly Error[]) => Refusal;
}

/** Returns whether an operation is a query whose changes are asked for. */
const isLiveQuery = ({ directives = [] }: OperationDefinitionNode): boolean =>
  directives.some(({ name }) => name.value === 'live');

/** Returns whether an operation has more than one answer, so that it cannot be answered with JSON. */
export const lasts = (operation: OperationDefinitionNode): boolean =>
  operation.operation === 'subscription' || isLiveQuery(operation);

/** Returns the error of an operation that lasts for a client that accepts only JSON. */
export const notOverJson = (operation: OperationDefinitionNode, schema: GraphQLSchema): GraphQLError =>
  schema.getSubscriptionType()
    ? new GraphQLError(overTransports, { nodes: operation, extensions: { code: 'BAD_REQUEST' } })
    : new GraphQLError('Schema is not configured for subscriptions.', { nodes: operation });

const overTransports =
  'Subscriptions and live queries are not answered with JSON: accept text/event-stream, or multipart/mixed; subscriptionSpec=1.0, ' +
  'or use the WebSocket protocol graphql-transport-ws on the same path';

/** Returns the text by which operations with equal meanings in a schema are equal. `besides` is a variable that does not matter. */
function keyOf({ schema, document, operationName, variables }: LiveOperation, besides?: string): string {
  const text = document.loc?.source.body ?? '';
  const others = Object.entries(variables).filter(([name]) => name !== besides);
  const key = JSON.stringify([numberOf(schema), text, operationName, others]);
  return createHash('sha256').update(key).digest('base64url');
}

const numbers = new WeakMap<GraphQLSchema, number>();
let lastNumber = 0;

function numberOf(schema: GraphQLSchema): number {
  const number = numbers.get(schema) ?? (lastNumber += 1);
  numbers.set(schema, number);
  return number;
}

/** Returns what graphql-js executes. */
export const argsOf = (
  { schema, document, operationName, variables }: LiveOperation,
  contextValue: GraphqlContext,
  rootValue?: unknown,
): ExecutionArgs => ({ schema, document, operationName, variableValues: variables, contextValue, rootValue });

let lastNumberOfOne = 0;

/**
 * Returns the text by which operations of callers with equal credentials are equal. Code of an extension may look at the request, so that
 * what it takes part in is for one client alone.
 */
export function sharedKey(operation: LiveOperation, context: GraphqlContext, besides?: string): string {
  const isShared = findCompiled(argsOf(operation, context), context) !== null;
  return isShared ? keyOf(operation, besides) : `one ${String((lastNumberOfOne += 1))}`;
}

/** Returns the fragments of a document by name. */
export const fragmentsOf = ({ definitions }: DocumentNode) =>
  Object.fromEntries(
    definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION).map((node) => [node.name.value, node] as const),
  );
