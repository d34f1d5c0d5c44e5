import type { Context } from 'koa';
import { Readable } from 'node:stream';
import { ApiError, notFoundError } from '#base/errors.js';
import type { Ending } from '#base/limits/ending.js';
import { ReadLog } from '#store/send/database.js';
import { checkRight, identify } from './authorize.js';
import { mayBeShared } from './cache-tags.js';
import { isJson } from './count-memory.js';
import { findAdmin } from './find-admin.js';
import { answerLive, LiveBody } from './live-body.js';
import { namePosition } from './name-position.js';
import { decodeBody, isUndecoded } from './request-body.js';
import { leaveLimits } from './request-limits.js';
import { type RouteParams, RouteRequest } from './route-request.js';
import type { ProjectCode } from './project-code.js';
import type { Answer, IdentifiedRow, PathSettings, RouteCall, Row, Rows } from './route.js';
import { type Connection, notRunning, type RunningService } from './running.js';
import { type Chain, chainOf } from './steps/chain.js';
import { isRead, noteVersion } from './tag-answers.js';
import { asksForUpgrade, takeUpgrade } from './upgrades.js';

/** A request with a matching path. */
interface Matched {
  readonly ctx: Context;
  readonly params: RouteParams;
  readonly connection: Connection;
  readonly projectCode: ProjectCode | null;
  /** Those of the path. */
  readonly settings: PathSettings;
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
  if (row.action === null) {
    const { ctx, params, connection, settings } = matched;
    const request = new RouteRequest(ctx, params);
    return row.handle(
      settings.isLong === true ? { request, connection, ends: letLast(ctx, connection) } : { request, connection },
    );
  }
  const chain = chainOf(row);
  const answer = runChain(chain, row, matched);
  const { refuse } = chain;
  if (refuse === undefined) return answer;
  return answer.catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 401) return refuse(error);
    throw error;
  });
}

async function runChain(chain: Chain, row: IdentifiedRow, matched: Matched): Promise<Answer | null> {
  const { ctx, params, connection, projectCode } = matched;
  const running = connection.running ?? notRunning();
  const request = new RouteRequest(ctx, params);
  const { caller, content } = await identify(ctx, chain.find, running, beginLog(running, chain, matched));
  projectCode?.noteCaller(ctx, row.toldAction ?? row.action, caller, params);
  try {
    checkRight(caller, row.action);
    if (row.others !== undefined) for (const action of row.others) checkRight(caller, action);
    if (isUndecoded(ctx)) await decodeBody(ctx);
    const call = { request, running, caller, content };
    const answer = await chain.run(lasting(call, matched), ctx);
    noteVersion(ctx, answer?.version);
    namePosition(ctx, 'handle' in row ? row.type : undefined, content);
    return answer;
  } catch (error) {
    running.explainRefusal(error, caller);
    throw error;
  }
}

/** Returns the log of what a request reads; null if none is needed, or middlewares of a project must see each answer. */
function beginLog({ config, source }: RunningService, { notes }: Chain, { ctx, projectCode }: Matched): ReadLog | null {
  if (notes === 'none' || (notes === 'reads' && !isRead(ctx))) return null;
  const isOwn = (projectCode?.middlewares().length ?? 0) === 0;
  const notesEntries = mayBeShared(ctx, config);
  return isOwn ? new ReadLog(source.store.changes.tick(), { notesEntries }) : null;
}

function lasting(call: RouteCall, { ctx, connection, settings }: Matched): RouteCall {
  if (settings.isLong === true) return { ...call, ends: letLast(ctx, connection) };
  const upgrade = settings.upgrades === true && asksForUpgrade(ctx) ? { upgrade: () => takeUpgrade(ctx) } : null;
  return settings.mayLast === true ? { ...call, ...upgrade, last: () => letLast(ctx, connection) } : call;
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
  if (isAdmin) await findAdmin(ctx, connection.running ?? notRunning());
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
