import type { Context } from 'koa';
import { isRecord } from '../../query/is-record.js';
import { textAnswer, type Answer } from './answer.js';

/** One operation as it came, before anything of it is checked. */
export type RawOperation = Readonly<Record<string, unknown>>;

export type GraphqlRequest =
  | { readonly kind: 'one'; readonly operation: RawOperation }
  | { readonly kind: 'batch'; readonly operations: readonly unknown[] }
  | { readonly kind: 'answer'; readonly answer: Answer };

const noBody = 'POST body missing, invalid Content-Type, or JSON object has no keys.';

/** Reads a request in the forms that the reference takes: GET with a query string, POST with JSON, one operation or a list (graphql.md 4.2). */
export function readRequest(ctx: Context, body: unknown): GraphqlRequest {
  if (ctx.method === 'GET') return readQueryString(ctx);
  if (ctx.method !== 'POST')
    return refuse({ ...textAnswer(405, 'Apollo Server supports only GET/POST requests.'), headers: allow });
  if (Array.isArray(body)) return { kind: 'batch', operations: body };
  return isRecord(body) && Object.keys(body).length > 0 ? { kind: 'one', operation: body } : refuse(textAnswer(400, noBody));
}

const allow = { Allow: 'GET, POST' };

const refuse = (answer: Answer): GraphqlRequest => ({ kind: 'answer', answer });

function readQueryString(ctx: Context): GraphqlRequest {
  const parameters = new URLSearchParams(ctx.querystring);
  if (parameters.size === 0) return refuse(textAnswer(400, 'GET query missing.'));
  return { kind: 'one', operation: Object.fromEntries(parameters) };
}
