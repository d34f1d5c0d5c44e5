import { Readable } from 'node:stream';
import type { Context } from 'koa';
import { ApiError, notFoundError } from '../errors.js';
import { checkRight, identify } from './authorize.js';
import { countAttempt } from './limit-requests.js';
import { bodyOf, type RouteParams, RouteRequest } from './route-request.js';
import type { Answer, Row, Rows } from './route.js';
import type { Connection } from './running.js';

/** A request that has found its path. */
export interface Matched {
  readonly ctx: Context;
  readonly params: RouteParams;
  readonly connection: Connection;
}

/** Answers a request by the row of its method; by 405, 501 or the Allow header if there is none. */
export async function answerRoute(rows: Rows, matched: Matched): Promise<void> {
  const { ctx } = matched;
  const row = rows.get(ctx.method === 'HEAD' ? 'GET' : ctx.method) ?? rows.get('ALL');
  if (row === undefined) return refuseMethod(rows, matched);
  const answer = await runRow(row, matched);
  if (answer !== null) send(ctx, answer);
}

/** Paths that nobody serves: asking for one is answered by 404, anything else by 405. */
export function answerUnknown(ctx: Context): void {
  if (ctx.method === 'GET' || ctx.method === 'HEAD' || ctx.method === 'OPTIONS') throw notFoundError();
  answerMethod(ctx, ['HEAD', 'GET']);
}

async function runRow(row: Row, matched: Matched): Promise<Answer | null> {
  if (row.action === null || row.refuse === undefined) return callRow(row, matched);
  try {
    return await callRow(row, matched);
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return row.refuse(error);
    throw error;
  }
}

async function callRow(row: Row, { ctx, params, connection }: Matched): Promise<Answer | null> {
  const request = new RouteRequest(ctx, params);
  if (row.action === null) return row.handle({ request, connection });
  const running = connection.require();
  const { caller, content } = await identify(ctx, row, running);
  try {
    checkRight(caller, row.action);
    if (row.limit !== undefined) await countAttempt(ctx, { route: row.limit, body: bodyOf(request) }, running.attempts);
    const call = { request, running, caller, content };
    return await ('handle' in row ? row.handle(call) : row.handleContext(ctx, call));
  } catch (error) {
    running.explainRefusal(error, caller);
    throw error;
  }
}

/** Which paths the admin API has is for those who may use it. */
async function refuseMethod(rows: Rows, { ctx, connection }: Matched): Promise<void> {
  const isAdmin = [...rows.values()].some(({ action }) => action === 'admin');
  if (isAdmin) await identify(ctx, { action: 'admin' }, connection.require());
  answerMethod(
    ctx,
    [...rows.keys()].flatMap((method) => (method === 'GET' ? ['HEAD', 'GET'] : [method])),
  );
}

const known: ReadonlySet<string> = new Set(['HEAD', 'OPTIONS', 'GET', 'PUT', 'PATCH', 'POST', 'DELETE']);

/** 200 with Allow for OPTIONS, 405 with Allow for the usual methods, 501 for any other. */
function answerMethod(ctx: Context, allowed: readonly string[]): void {
  if (!known.has(ctx.method)) {
    send(ctx, { status: 501, body: 'Not Implemented' });
    return;
  }
  const isAsking = ctx.method === 'OPTIONS';
  const headers = { Allow: allowed.join(', ') };
  send(ctx, { status: isAsking ? 200 : 405, headers, body: isAsking ? '' : 'Method Not Allowed' });
}

function send(ctx: Context, { status = 200, headers, body }: Answer): void {
  ctx.status = status;
  if (headers !== undefined) for (const name of Object.keys(headers)) ctx.set(name, headers[name] ?? '');
  if (body === undefined) return;
  ctx.body = body;
  // The length is promised: a client must not take a part for the whole.
  if (body instanceof Readable) body.once('error', () => ctx.res.destroy());
}
