import { GraphQLError, Kind } from 'graphql';
import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { createHandler } from 'graphql-http';
import type { HandlerOptions, OperationArgs, Response } from 'graphql-http';
import { isRecord } from '../../query/is-record.js';
import { executeOperation } from '../execute/execute-operation.js';
import type { GraphqlContext } from '../execute/graphql-context.js';
import type { Answer } from './answer.js';
import type { Prepare } from './document-cache.js';
import { coded, formatError, type ErrorFormat } from './format-error.js';
import type { FormatHook } from './graphql-settings.js';
import type { Parameters } from './operation-parameters.js';

/** What one operation runs against. */
export interface Execution {
  readonly schema: GraphQLSchema;
  readonly parameters: Parameters;
  readonly method: string;
  readonly context: GraphqlContext;
}

export interface RunnerOptions extends ErrorFormat {
  readonly prepare: Prepare;
  readonly hook: FormatHook | null;
}

type Options = HandlerOptions<null, Execution, Record<PropertyKey, unknown>>;

/** Runs single operations and gives the answers of the reference (graphql.md 4.2), graphql-http at their core. */
export function createRunner(options: RunnerOptions): (execution: Execution) => Promise<Answer> {
  const format = formatter(options);
  const refuse = (status: number, errors: readonly GraphQLError[]): Response => [
    JSON.stringify({ errors: errors.map(format) }),
    { status, statusText: '' },
  ];
  const handler = createHandler<null, Execution, Record<PropertyKey, unknown>>({
    parseRequestParams: ({ context: { parameters } }) => ({
      query: parameters.query,
      variables: { ...parameters.variables },
      operationName: parameters.operationName,
    }),
    onSubscribe: ({ context }) => prepareOperation(context, options.prepare, refuse),
    onOperation: ({ context }, _args, result) => {
      // a result without data never got to run: a variable was wrong
      if (!('data' in result))
        return refuse(
          400,
          (result.errors ?? []).map((error) => coded(error, 'BAD_USER_INPUT')),
        );
      const { tracer } = context.context;
      return tracer === null ? undefined : { ...result, extensions: { ...result.extensions, tracing: tracer.finish() } };
    },
    execute: executeOperation,
    formatError: format,
  });
  return async (execution) => {
    const request = { method: 'POST', url: '', headers: {}, body: null, raw: null, context: execution };
    const [body, { status }] = await handler(request);
    return { status, type: 'application/json', body: `${body ?? ''}\n` };
  };
}

const formatter =
  (options: RunnerOptions): NonNullable<Options['formatError']> =>
  (error) => {
    const formatted = formatError(error, options);
    // what a hook gives back is sent as it is, and graphql-http does nothing but write it
    return options.hook === null ? formatted : (callHook(options.hook, { formatted, error }, options) as GraphQLError);
  };

interface Formatted {
  readonly formatted: GraphQLError;
  readonly error: Readonly<GraphQLError | Error>;
}

/**
 * What the hook makes of an error; the error as it was where the hook throws or gives nothing. Hooks of the reference look at
 * `originalError`, which is not sent.
 */
function callHook(hook: FormatHook, { formatted, error }: Formatted, { report }: ErrorFormat): unknown {
  const originalError = error instanceof GraphQLError ? error.originalError : error;
  try {
    const given: unknown = hook(Object.defineProperty(formatted.toJSON(), 'originalError', { value: originalError }), error);
    return isRecord(given) ? given : formatted;
  } catch (thrown) {
    report(thrown);
    return formatted;
  }
}

type Refuse = (status: number, errors: readonly GraphQLError[]) => Response;

function prepareOperation(
  { schema, parameters, method, context }: Execution,
  prepare: Prepare,
  refuse: Refuse,
): OperationArgs<Record<PropertyKey, unknown>> | Response {
  const prepared = prepare(schema, parameters.query);
  if (prepared.kind === 'errors') return refuse(400, prepared.errors);
  const operation = chooseOperation(prepared.document, parameters.operationName);
  if (operation instanceof GraphQLError) return refuse(400, [operation]);
  if (operation.operation === 'mutation' && method === 'GET')
    return refuse(405, [new GraphQLError('GET supports only query operation')]);
  return {
    schema,
    document: prepared.document,
    operationName: parameters.operationName,
    variableValues: parameters.variables,
    contextValue: { ...context },
  };
}

/** The operation to run, or why there is none, in the reference's words. */
function chooseOperation({ definitions }: DocumentNode, name: string | null): OperationDefinitionNode | GraphQLError {
  const operations = definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION);
  const [first, second] = name === null ? operations : operations.filter((operation) => operation.name?.value === name);
  if (first === undefined)
    return new GraphQLError(name === null ? 'Must provide an operation.' : `Unknown operation named "${name}".`);
  if (second !== undefined) return new GraphQLError('Must provide operation name if query contains multiple operations.');
  return first.operation === 'subscription'
    ? new GraphQLError('Schema is not configured for subscriptions.', { nodes: first })
    : first;
}
