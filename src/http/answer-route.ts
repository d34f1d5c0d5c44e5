import type { Context } from 'koa';
import { Readable } from 'node:stream';
import { ApiError, notFoundError } from '#base/errors.js';
import { ReadLog } from '#store/send/read-log.js';
import { checkRight, identify } from './authorize.js';
import { refuseCursors } from '#model/query/parse-cursors.js';
import { isJson } from './count-memory.js';
import { namePosition } from './name-position.js';
import { countAttempt } from './limit-requests.js';
import { onceFor } from './idempotency/run-once.js';
import { ignoreKey, keyError } from './idempotency/read-key.js';
import { answerLive, LiveBody } from './live-body.js';
import { type QueryStringLimits, readParameters, refuseReserved } from './query-string.js';
import { decodeBody, isUndecoded } from './request-body.js';
import { refusePreconditions } from './preconditions.js';
import { leaveLimits } from './request-limits.js';
import { bodyOf, type RouteParams, RouteRequest } from './route-request.js';
import type { Ending } from '#base/limits/ending.js';
import type { Answer, GuardedRow, ProjectCode, RouteCall, Row, Rows } from './route.js';
import { type Connection, notRunning } from './running.js';
import { beginTag, isRead, noteVersion } from './tag-answers.js';

/** A request with a matching path. */
interface Matched {
  readonly ctx: Context;
  readonly params: RouteParams;
  readonly connection: Connection;
  readonly projectCode: ProjectCode | null;
  readonly isLong: boolean;
}

/**
 * Answers a request by the row of its method. If there is none, answers 404, 405, 501 or the Allow header. Without rows the path
 * counts as unknown.
 */
export async function answerRoute(rows: Rows | null, matched: Matched): Promise<void> {
  const { ctx } = matched;
  if (rows === null) {
    answerUnknown(ctx);
    return;
  }
  const row = rows.get(ctx.method === 'HEAD' ? 'GET' : ctx.method) ?? rows.get('ALL');
  if (row === undefined) return refuseMethod(rows, matched);
  const answer = await runRow(row, matched);
  if (answer !== null) send(ctx, answer);
}

function runRow(row: Row, matched: Matched): Answer | null | Promise<Answer | null> {
  const request = new RouteRequest(matched.ctx, matched.params);
  if (row.action === null) {
    const { ctx, connection } = matched;
    return row.handle(matched.isLong ? { request, connection, ends: letLast(ctx, connection) } : { request, connection });
  }
  const answer = runIdentified(row, request, matched);
  const { refuse } = row;
  if (refuse === undefined) return answer;
  return answer.catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 401) return refuse(error);
    throw error;
  });
}

type IdentifiedRow = Exclude<Row, { readonly action: null }>;

async function runIdentified(row: IdentifiedRow, request: RouteRequest, matched: Matched): Promise<Answer | null> {
  const { ctx, connection, projectCode } = matched;
  const running = connection.running ?? notRunning();
  const reads = row.isTagged === true && isRead(ctx) ? new ReadLog(running.source.store.changes.tick()) : null;
  const { caller, content } = await identify(ctx, row, running, reads);
  projectCode?.noteCaller(ctx, row.toldAction ?? row.action, caller, request.params);
  try {
    checkRight(caller, row.action);
    if (row.others !== undefined) for (const action of row.others) checkRight(caller, action);
    if (isUndecoded(ctx)) await decodeBody(ctx);
    if (row.counts !== undefined) await running.limiter?.(ctx, caller, row.counts(request.body) - 1);
    if (row.limit !== undefined) await countAttempt(ctx, row.limit, bodyOf(request), running);
    if (row.readsPreconditions !== true && !isRead(ctx)) refusePreconditions(ctx.req.headers);
    const ends = matched.isLong ? letLast(ctx, connection) : null;
    const call = ends === null ? { request, running, caller, content } : { request, running, caller, content, ends };
    if ('handle' in row) refuseUnsupported(row, request, running.config.api.limits);
    if (row.isTagged === true && beginRow(row, call, reads, matched)) return { status: 304 };
    const key = ctx.req.headers['idempotency-key'] as string | undefined; // Node joins several into one
    const answer = await (key === undefined || isRead(ctx) ? runHandler(row, ctx, call) : runKeyed(row, ctx, call, key));
    noteVersion(ctx, answer?.version);
    namePosition(ctx, 'handle' in row ? row.type : undefined, content);
    return answer;
  } catch (error) {
    running.explainRefusal(error, caller);
    throw error;
  }
}

/** Throws a ValidationError for a parameter that other rows of the service know. */
function refuseUnsupported(
  { hasCursors }: Pick<GuardedRow, 'hasCursors'>,
  { query }: RouteRequest,
  limits: QueryStringLimits,
): void {
  refuseReserved(query);
  if (hasCursors === true) return;
  if (typeof query !== 'string' || query.includes('pagination')) refuseCursors(readParameters(query, limits));
}

const runHandler = (row: IdentifiedRow, ctx: Context, call: RouteCall): Answer | null | Promise<Answer | null> =>
  'handle' in row ? row.handle(call) : row.handleContext(ctx, call);

/** Answers a write with an Idempotency-Key. Throws a 400 if its row cannot honour the key. */
async function runKeyed(row: IdentifiedRow, ctx: Context, call: RouteCall, key: string): Promise<Answer | null> {
  const { keys } = row;
  if (keys === undefined) throw keyError(400, `${ctx.method} ${ctx.path} does not support the header Idempotency-Key`);
  if (keys === 'ignored') {
    ignoreKey(row.action, call);
    return runHandler(row, ctx, call);
  }
  if (keys === 'mutations') return runHandler(row, ctx, { ...call, once: (write, parts) => onceFor(call, key)(write, parts) });
  const once = onceFor(call, key);
  if (keys === 'part') return runHandler(row, ctx, { ...call, once });
  return once(async (content) => (await runHandler(row, ctx, { ...call, content })) ?? {}, null);
}

/** Begins the tag of an answer. Returns whether the client has the answer already. Middlewares of a project must see each answer. */
function beginRow(row: IdentifiedRow, call: RouteCall, reads: ReadLog | null, { ctx, projectCode }: Matched): boolean {
  const { caller, content, running } = call;
  const isOwn = reads !== null && (projectCode?.middlewares().length ?? 0) === 0;
  const read = isOwn ? { caller, content, models: running.source.models, tags: running.tags, reads } : null;
  return beginTag(ctx, read, row.cacheControl);
}

/** Lets the answer to a request take long. Returns the signal that ends it. Throws a 503 if the service is about to stop. */
function letLast(ctx: Context, connection: Connection): Ending {
  const ends = connection.endOf(ctx.res);
  leaveLimits(ctx);
  return ends;
}

/**
 * Answers a method that has no row (see `answerMethod`). Checks the rights first on paths of the admin API, which are hidden from other
 * callers.
 */
async function refuseMethod(rows: Rows, { ctx, connection }: Matched): Promise<void> {
  const isAdmin = [...rows.values()].some(({ action }) => action === 'admin');
  if (isAdmin) await identify(ctx, { action: 'admin' }, connection.running ?? notRunning());
  answerMethod(ctx, [...rows.keys()]);
}

/** Answers paths without rows. Throws a NotFoundError for GET, HEAD and OPTIONS. Answers 405 to other methods. */
export function answerUnknown(ctx: Context): void {
  if (ctx.method === 'OPTIONS') throw notFoundError();
  answerMethod(ctx, []);
}

const known: ReadonlySet<string> = new Set(['HEAD', 'OPTIONS', 'GET', 'PUT', 'PATCH', 'POST', 'DELETE']);

/**
 * Answers a method that has no row, on a path with rows of other methods: OPTIONS with 200 and Allow, other known methods with 405
 * and Allow, unknown ones with 501. Throws a NotFoundError for GET and HEAD. In Strapi v4 they look for a file at every path, so
 * they are always allowed.
 */
function answerMethod(ctx: Context, others: readonly string[]): void {
  if (ctx.method === 'GET' || ctx.method === 'HEAD') throw notFoundError();
  if (!known.has(ctx.method)) {
    ctx.status = 501;
    ctx.body = 'Not Implemented';
    return;
  }
  const isAsking = ctx.method === 'OPTIONS';
  ctx.status = isAsking ? 200 : 405;
  ctx.set('Allow', ['HEAD', 'GET', ...others.filter((method) => method !== 'GET')].join(', '));
  ctx.body = isAsking ? '' : 'Method Not Allowed';
}

function send(ctx: Context, { status = 200, headers, body }: Answer): void {
  ctx.status = status;
  if (headers !== undefined) for (const name of Object.keys(headers)) ctx.set(name, headers[name] ?? '');
  if (body === undefined) return;
  if (body instanceof LiveBody) return answerLive(ctx, body);
  // set here, because Koa would look it up in a table of all types
  if (isJson(body) && !ctx.res.hasHeader('Content-Type')) ctx.res.setHeader('Content-Type', 'application/json; charset=utf-8');
  ctx.body = body;
  // The length was already sent, so the connection is closed: the client must not mistake a part for the whole.
  if (body instanceof Readable) body.once('error', () => ctx.res.destroy());
}
