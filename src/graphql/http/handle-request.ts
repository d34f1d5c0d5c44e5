import type { Context } from 'koa';
import { isRecord } from '../../query/is-record.js';
import { answerOf, failureAnswer, type Answer } from './answer.js';
import type { OperationHandler, Session } from './operation-handler.js';

/** What requests of one endpoint are handled with. */
export interface Endpoint {
  readonly handle: OperationHandler;
  /** Most operations of one batch; 0 refuses batches. */
  readonly batch: number;
}

type OperationRequest = Parameters<OperationHandler>[0];

/** Answers one HTTP request, a single operation or a batch; `body` is decoded JSON. */
export async function handleRequest(ctx: Context, body: unknown, session: Session, endpoint: Endpoint): Promise<Answer> {
  const operation = isRecord(body) && Object.keys(body).length > 0 ? body : null;
  const request = { method: ctx.method, url: ctx.url, headers: headersOf(ctx), body: operation, raw: ctx.req, context: session };
  if (ctx.method === 'POST' && Array.isArray(body)) return handleBatch(request, body, endpoint);
  return answerOf(await endpoint.handle(request));
}

/**
 * The headers, but for `Accept`: Strapi v4 gives every client the same answer, where graphql-http would refuse some media types
 * with 406. The one named here has the statuses of Strapi v4: 400 for a document that is wrong.
 */
const headersOf = (ctx: Context): OperationRequest['headers'] => ({
  get: (name) => (name === 'accept' ? 'application/graphql-response+json' : ctx.get(name)),
});

/** Handles each member as a request of its own, which graphql-http has no form for, and answers them together with 200. */
async function handleBatch(request: OperationRequest, members: readonly unknown[], { handle, batch }: Endpoint): Promise<Answer> {
  if (batch === 0) return failureAnswer(400, 'Operation batching disabled.');
  if (members.length === 0) return failureAnswer(400, 'No operations found in request.');
  if (members.length > batch) return failureAnswer(400, `More than ${String(batch)} operations in one request.`);
  const answers: Answer[] = [];
  // One after the other: a batch may not take more of the server at once than a single request.
  for (const member of members) answers.push(answerOf(await handle({ ...request, body: isRecord(member) ? member : {} })));
  const bodies = answers.map(({ type, body, status }) =>
    (type === 'text/plain' ? failureAnswer(status, body).body : body).trimEnd(),
  );
  return { status: 200, type: 'application/json', body: `[${bodies.join(',')}]\n` };
}
