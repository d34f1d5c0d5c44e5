import type { IncomingMessage } from 'node:http';
import { Kind, OperationTypeNode } from 'graphql';
import type { ExecutionResult, GraphQLError, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { createHandler } from 'graphql-http';
import type { Handler, Response } from 'graphql-http';
import type { GraphqlContext } from '../execute/graphql-context.js';
import { createDocuments } from './documents.js';
import { createErrorFormat, type FormatError } from './format-error.js';
import type { GraphqlSettings } from './graphql-settings.js';
import { createPersistedQueries } from './persisted-queries.js';
import { readParameters } from './read-parameters.js';
import { mutationByGet, runOperation } from './run-operation.js';

/** What one request runs against; every operation of a batch has a context of its own. */
export interface Session {
  readonly schema: GraphQLSchema;
  readonly createContext: () => GraphqlContext;
}

/** Answers requests for one operation. */
export type OperationHandler = Handler<IncomingMessage, Session>;

/** Creates the handler by graphql-http. `report` takes the errors that clients are told nothing about. */
export function createOperationHandler(settings: GraphqlSettings, report: (error: unknown) => void): OperationHandler {
  const findQuery = createPersistedQueries();
  const documents = createDocuments(settings);
  const formatError = createErrorFormat(settings, report);
  return createHandler<IncomingMessage, Session, Record<PropertyKey, unknown>>({
    parseRequestParams: (request) => readParameters(request, findQuery),
    schema: ({ context }) => context.schema,
    context: ({ context }) => ({ ...context.createContext() }),
    parse: documents.parse,
    validate: documents.validate,
    validationRules: () => [],
    // `execute` chooses the operation: graphql-http has other words for one that is missing, and for a mutation by GET.
    getOperationAST: () => anyOperation,
    execute: runOperation,
    onOperation: (_request, { contextValue }, result) => {
      if (!('data' in result)) return refuse(result.errors ?? [], formatError);
      const { tracer, running, caller } = contextValue as unknown as GraphqlContext; // what `context` returned
      for (const { originalError } of result.errors ?? []) running.explainRefusal(originalError, caller);
      const traced = tracer === null ? result : { ...result, extensions: { ...result.extensions, tracing: tracer.finish() } };
      return result.errors === undefined ? writeResult(traced) : traced;
    },
    formatError,
  });
}

const anyOperation: OperationDefinitionNode = {
  kind: Kind.OPERATION_DEFINITION,
  operation: OperationTypeNode.QUERY,
  selectionSet: { kind: Kind.SELECTION_SET, selections: [] },
};

/** The response to an operation without errors. graphql-http would call a function for each value that it writes. */
const writeResult = (result: ExecutionResult): Response => [JSON.stringify(result), { status: 200, statusText: '' }];

/** The response to an operation that never ran; graphql-http would send every result with status 200. */
const refuse = (errors: readonly GraphQLError[], format: FormatError): Response => [
  JSON.stringify({ errors: errors.map(format) }),
  { status: errors[0] === mutationByGet ? 405 : 400, statusText: '' },
];
