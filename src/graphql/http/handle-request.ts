import type { GraphQLSchema } from 'graphql';
import type { Context } from 'koa';
import { isRecord } from '../../query/is-record.js';
import type { GraphqlContext } from '../execute/graphql-context.js';
import { failureAnswer, type Answer } from './answer.js';
import type { GraphqlSettings } from './graphql-settings.js';
import { operationParameters } from './operation-parameters.js';
import type { FindQuery } from './persisted-queries.js';
import { readRequest, type RawOperation } from './read-request.js';
import type { Execution } from './run-operation.js';

/** What requests of one endpoint are handled with. */
export interface Endpoint {
  readonly settings: Pick<GraphqlSettings, 'limits'>;
  readonly find: FindQuery;
  readonly run: (execution: Execution) => Promise<Answer>;
}

/** What one request runs against; every operation of a batch has a context of its own. */
export interface Session {
  readonly schema: GraphQLSchema;
  readonly createContext: () => GraphqlContext;
}

/** Answers one HTTP request, a single operation or a batch (graphql.md 4.2). */
export async function handleRequest(ctx: Context, body: unknown, session: Session, endpoint: Endpoint): Promise<Answer> {
  const request = readRequest(ctx, body);
  switch (request.kind) {
    case 'answer':
      return request.answer;
    case 'one':
      return runOne(request.operation, ctx.method, session, endpoint);
    case 'batch':
      return runBatch(request.operations, ctx.method, session, endpoint);
  }
}

async function runOne(operation: RawOperation, method: string, session: Session, { find, run }: Endpoint): Promise<Answer> {
  const parameters = operationParameters(operation, find);
  if ('status' in parameters) return parameters;
  return run({ schema: session.schema, parameters, method, context: session.createContext() });
}

/** Each member stands alone; together they are answered with 200. */
async function runBatch(operations: readonly unknown[], method: string, session: Session, endpoint: Endpoint): Promise<Answer> {
  const { batch } = endpoint.settings.limits;
  if (batch === 0) return failureAnswer(400, 'Operation batching disabled.');
  if (operations.length === 0) return failureAnswer(400, 'No operations found in request.');
  if (operations.length > batch) return failureAnswer(400, `More than ${String(batch)} operations in one request.`);
  const answers: Answer[] = [];
  // one after the other: a batch may not take more of the server at once than a single request
  for (const operation of operations) answers.push(await runOne(isRecord(operation) ? operation : {}, method, session, endpoint));
  const bodies = answers.map(({ type, body, status }) =>
    (type === 'text/plain' ? failureAnswer(status, body).body : body).trimEnd(),
  );
  return { status: 200, type: 'application/json', body: `[${bodies.join(',')}]\n` };
}
