import { Router } from '@koa/router';
import type { Context, Middleware } from 'koa';
import { Readable } from 'node:stream';
import { ApiError } from '../errors.js';
import { checkRight, identify } from './authorize.js';
import { isJson } from './count-memory.js';
import { countAttempt } from './limit-requests.js';
import { decodeBody, isUndecoded } from './request-body.js';
import { bodyOf, type RouteParams, RouteRequest } from './route-request.js';
import type { Answer, AnyRoute, FixedRoute, ProjectCode, RouteMatch, PathSettings, Row, Rows } from './route.js';
import { type Connection, notRunning } from './running.js';
import { answerMethod, answerUnknown } from './unknown-method.js';

interface RouteTableInput {
  /** The first row whose path fits decides, so that fixed paths come before those with parameters. */
  readonly routes: readonly AnyRoute[];
  readonly connection: Connection;
  /** The middleware of a path. */
  readonly shared: (settings: PathSettings) => readonly Middleware[];
  /** Code of a project; null if there is none. */
  readonly projectCode: ProjectCode | null;
}

/**
 * Mounts the route table; requests that no path fits go on. There is a router for each fixed beginning of the paths, of two parts
 * at most: a router tries its paths one after the other, which takes 3.5 µs for the 100 rows of all front ends. Bare paths need no
 * router, whose own work is 1.7 µs.
 */
export function routeTable(input: RouteTableInput): Middleware {
  const paths = pathsOf(input);
  const bare = new Map(paths.filter(({ settings }) => settings.isBare).map(({ path, answer }) => [path, answer]));
  const routed = paths.filter(({ path }) => !bare.has(path));
  const beginnings = new Set(routed.map(({ path }) => beginningOfRoute(path)));
  const routers = new Map([...beginnings].map((beginning) => [beginning, createRouter(pathsBelow(beginning, routed))]));
  const otherwise = createRouter(pathsBelow('', routed));
  const routerOf = (path: string): Middleware => {
    const first = endOfPart(path, 1);
    return routers.get(path.slice(0, endOfPart(path, first + 1))) ?? routers.get(path.slice(0, first)) ?? otherwise;
  };
  const table: Middleware = (ctx, next) => {
    const { path } = ctx;
    return (bare.get(path) ?? routerOf(path))(ctx, next);
  };
  return input.projectCode === null ? table : beforeTable(table, input.projectCode, input);
}

/** Lets the code of a project answer first. */
function beforeTable(table: Middleware, projectCode: ProjectCode, { shared, connection }: RouteTableInput): Middleware {
  const matches = new WeakMap<Context, RouteMatch>();
  const answer = nest(shared({}), (ctx) => {
    const { rows = null, params = {} } = matches.get(ctx) ?? {};
    return answerRoute(rows, { ctx, params, connection });
  });
  return (ctx, next) => {
    const match = projectCode.find(ctx.method, ctx.path);
    if (match === null) return table(ctx, next);
    matches.set(ctx, match);
    return answer(ctx);
  };
}

/** Returns where the part of a path ends that begins at a place. */
function endOfPart(path: string, start: number): number {
  const end = path.indexOf('/', start);
  return end === -1 ? path.length : end;
}

/** `/api` of `/api/articles`. */
const firstPartOf = (path: string): string => path.slice(0, endOfPart(path, 1));

/** The first two parts of a path, `/api/upload` of `/api/upload/files`; only those before a parameter. */
function beginningOf(path: string): string {
  const first = firstPartOf(path);
  const second = firstPartOf(path.slice(first.length));
  if (isVariable(first)) return '';
  return isVariable(second) ? first : first + second;
}

/** Returns the beginning of a route's path: `/docs{/*rest}` begins as `/docs/{*rest}` does. */
const beginningOfRoute = (path: string): string => beginningOf(path.replace('{/', '/{'));

const isVariable = (part: string): boolean => part.startsWith('/:') || part.startsWith('/{');

/** Paths that a request with this beginning may match. */
const pathsBelow = (beginning: string, paths: readonly Path[]): readonly Path[] =>
  paths.filter(({ path }) => ['', beginning, firstPartOf(beginning)].includes(beginningOfRoute(path)));

/** A path, and what answers requests to it. */
interface Path {
  readonly path: string;
  readonly settings: PathSettings;
  readonly answer: Answering;
}

type Answering = (ctx: RoutedContext) => Promise<void>;

/** Koa's context, with the parameters that a router has found in the path. */
interface RoutedContext extends Context {
  readonly params?: RouteParams;
  readonly captures?: readonly string[];
}

function pathsOf({ routes, connection, shared }: RouteTableInput): Path[] {
  const names = [...new Set(routes.map(({ path }) => path))];
  return names.map((path) => {
    const here = routes.filter((route) => route.path === path);
    const findRows = finderOf(here, connection);
    const settings = here.flatMap((route) => ('find' in route ? [] : (route.settings ?? [])))[0] ?? {};
    const answer: Answering = (ctx) => answerRoute(findRows(ctx), { ctx, params: ctx.params ?? {}, connection });
    return { path, settings, answer: nest(shared(settings), answer) };
  });
}

/** Returns what finds the rows of a path. A dynamic route decides for all methods. */
function finderOf(routes: readonly AnyRoute[], connection: Connection): (ctx: RoutedContext) => Rows | null {
  const dynamic = routes.find((route) => 'find' in route);
  if (dynamic !== undefined) return ({ captures = [] }) => dynamic.find(captures, connection.running ?? notRunning());
  const rows = firstOf(routes.flatMap((route) => ('find' in route ? [] : [route])));
  return () => rows;
}

/** If two rows have one method, the first one decides. */
function firstOf(routes: readonly FixedRoute[]): Rows {
  const rows = new Map<string, FixedRoute>();
  for (const route of routes) if (!rows.has(route.method)) rows.set(route.method, route);
  return rows;
}

function createRouter(paths: readonly Path[]): Middleware {
  const router = new Router({ sensitive: true });
  for (const { path, answer } of paths) router.all(path, answer);
  return router.routes() as Middleware; // it sets the properties of the context that its type requires
}

/** Runs middleware one within the other, the answer innermost. It is put together once; the router would do so for each request. */
const nest = (shared: readonly Middleware[], answer: Answering): Answering =>
  shared.reduceRight<Answering>((inner, middleware) => {
    const run = middleware as (ctx: Context, next: () => Promise<void>) => Promise<void>; // those of this service return promises
    return (ctx) => run(ctx, () => inner(ctx));
  }, answer);

/** A request that has found its path. */
interface Matched {
  readonly ctx: Context;
  readonly params: RouteParams;
  readonly connection: Connection;
}

/** Answers a request by the row of its method; by 405, 501 or the Allow header if there is none, and as unknown without rows. */
async function answerRoute(rows: Rows | null, matched: Matched): Promise<void> {
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
  if (row.action === null) return row.handle({ request, connection: matched.connection });
  const answer = runIdentified(row, request, matched);
  const { refuse } = row;
  return refuse === undefined ? answer : answer.catch((error: unknown) => refuseUnauthorized(error, refuse));
}

type IdentifiedRow = Exclude<Row, { readonly action: null }>;

function refuseUnauthorized(error: unknown, refuse: NonNullable<IdentifiedRow['refuse']>): Answer {
  if (error instanceof ApiError && error.status === 401) return refuse(error);
  throw error;
}

async function runIdentified(row: IdentifiedRow, request: RouteRequest, { ctx, connection }: Matched): Promise<Answer | null> {
  const running = connection.running ?? notRunning();
  const { caller, content } = await identify(ctx, row, running);
  try {
    checkRight(caller, row.action);
    if (row.others !== undefined) for (const action of row.others) checkRight(caller, action);
    if (isUndecoded(ctx)) await decodeBody(ctx);
    if (row.limit !== undefined) await countAttempt(ctx, { route: row.limit, body: bodyOf(request) }, running.attempts);
    const call = { request, running, caller, content };
    return await ('handle' in row ? row.handle(call) : row.handleContext(ctx, call));
  } catch (error) {
    running.explainRefusal(error, caller);
    throw error;
  }
}

/** The paths of the admin API are hidden from callers who may not use it. */
async function refuseMethod(rows: Rows, { ctx, connection }: Matched): Promise<void> {
  const isAdmin = [...rows.values()].some(({ action }) => action === 'admin');
  if (isAdmin) await identify(ctx, { action: 'admin' }, connection.running ?? notRunning());
  const allowed = [...rows.keys()].flatMap((method) => (method === 'GET' ? ['HEAD', 'GET'] : [method]));
  answerMethod(ctx, allowed);
}

function send(ctx: Context, { status = 200, headers, body }: Answer): void {
  ctx.status = status;
  if (headers !== undefined) for (const name of Object.keys(headers)) ctx.set(name, headers[name] ?? '');
  if (body === undefined) return;
  // Koa would look the type up in a table of all types.
  if (isJson(body) && !ctx.res.hasHeader('Content-Type')) ctx.res.setHeader('Content-Type', 'application/json; charset=utf-8');
  ctx.body = body;
  // The length was announced, so the connection is cut: a client must not take a part for the whole.
  if (body instanceof Readable) body.once('error', () => ctx.res.destroy());
}
