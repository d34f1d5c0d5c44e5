import { GraphQLError, Kind } from 'graphql';
import type { DocumentNode, ExecutionArgs, ExecutionResult, OperationDefinitionNode } from 'graphql';
import { executeOperation } from '../execute/execute-operation.js';
import type { GraphqlContext } from '../execute/graphql-context.js';
import { coded } from './format-error.js';

/** The one error of a mutation that came by GET. Answered with 405. */
export const mutationByGet = new GraphQLError('GET supports only query operation');

/**
 * Runs the operation that a request names, in a document that is valid. A result without data never got to run: there is no such
 * operation, or a variable was wrong.
 */
export async function runOperation(args: ExecutionArgs): Promise<ExecutionResult> {
  const operation = chooseOperation(args.document, args.operationName ?? null);
  if (operation instanceof GraphQLError) return { errors: [operation] };
  const { koaContext } = args.contextValue as GraphqlContext; // the only context there is
  if (operation.operation === 'mutation' && koaContext.method === 'GET') return { errors: [mutationByGet] };
  const result = await executeOperation(args);
  if ('data' in result) return result;
  return { ...result, errors: (result.errors ?? []).map((error) => coded(error, 'BAD_USER_INPUT')) };
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
