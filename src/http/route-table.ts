import { Router } from '@koa/router';
import type { Context, Middleware } from 'koa';
import type { RouteParams } from './route-request.js';
import type { ProjectCode, RouteMatch } from './project-code.js';
import type { AnyRoute, FixedRoute, PathSettings, Rows } from './route.js';
import { type Connection, notRunning } from './running.js';
import { answerRoute } from './answer-route.js';
import type { RequestState } from './observe-requests.js';

interface RouteTableInput {
  /** The first matching path is used, so fixed paths must come before those with parameters. */
  readonly routes: readonly AnyRoute[];
  readonly connection: Connection;
  /** Returns the middleware of a path. */
  readonly shared: (settings: PathSettings) => readonly Middleware[];
  /** Code of a project; null if there is none. */
  readonly projectCode: ProjectCode | null;
  /** Whether the routes of administrators in the code of a project are left out. */
  readonly isOpen?: boolean;
}

/**
 * Returns the middleware that answers requests by the route table, and passes on requests without a matching path. There is one
 * router per fixed beginning of paths, of at most two parts, because a router tries its paths one after the other, which takes
 * 3.5 µs for the 100 rows of all front ends. Bare paths bypass the routers, which take 1.7 µs.
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

/** Returns middleware that tries the routes of a project before the table. */
function beforeTable(table: Middleware, projectCode: ProjectCode, { shared, connection, isOpen }: RouteTableInput): Middleware {
  const open = isOpen === true ? 'open' : undefined;
  const matches = new WeakMap<Context, RouteMatch>();
  const answer = nest(shared({}), (ctx) => {
    const { rows = null, params = {} } = matches.get(ctx) ?? {};
    return answerRoute(rows, { ctx, params, connection, projectCode, settings: {} });
  });
  return (ctx, next) => {
    const match = projectCode.find(ctx.method, ctx.path, open);
    if (match === null) return table(ctx, next);
    matches.set(ctx, match);
    return answer(ctx);
  };
}

/** Returns the end of the path part that begins at `start`. */
function endOfPart(path: string, start: number): number {
  const end = path.indexOf('/', start);
  return end === -1 ? path.length : end;
}

/** Returns the first part of a path: `/api` for `/api/articles`. */
const firstPartOf = (path: string): string => path.slice(0, endOfPart(path, 1));

/** Returns the first two parts of a path, up to a parameter: `/api/upload` for `/api/upload/files`. */
function beginningOf(path: string): string {
  const first = firstPartOf(path);
  const second = firstPartOf(path.slice(first.length));
  if (isVariable(first)) return '';
  return isVariable(second) ? first : first + second;
}

/** Returns the beginning of a route's path. `/docs{/*rest}` is treated like `/docs/{*rest}`. */
const beginningOfRoute = (path: string): string => beginningOf(path.replace('{/', '/{'));

const isVariable = (part: string): boolean => part.startsWith('/:') || part.startsWith('/{');

/** Returns the paths that requests with this beginning may match. */
const pathsBelow = (beginning: string, paths: readonly Path[]): readonly Path[] =>
  paths.filter(({ path }) => ['', beginning, firstPartOf(beginning)].includes(beginningOfRoute(path)));

/** A path, and the function that answers its requests. */
interface Path {
  readonly path: string;
  readonly settings: PathSettings;
  readonly answer: Answering;
  /** Returns whether a later path answers instead. */
  readonly yields: (() => boolean) | null;
}

type Answering = (ctx: RoutedContext) => Promise<void>;

/** Koa's context with the path parameters that a router has found. */
interface RoutedContext extends Context {
  readonly params?: RouteParams;
  readonly captures?: readonly string[];
}

function pathsOf({ routes, connection, shared, projectCode }: RouteTableInput): Path[] {
  const names = [...new Set(routes.map(({ path }) => path))];
  return names.map((path) => {
    const here = routes.filter((route) => route.path === path);
    const findRows = finderOf(here, connection);
    const settings = here.flatMap((route) => ('find' in route ? [] : (route.settings ?? [])))[0] ?? {};
    const answer: Answering = (ctx) =>
      answerRoute(findRows(ctx), { ctx, params: ctx.params ?? {}, connection, projectCode, settings });
    const yields = here.flatMap((route) => ('find' in route ? [] : (route.yields ?? [])))[0];
    const isYielding = (): boolean => connection.running !== null && yields?.(connection.running) === true;
    return { path, settings, answer: nest(shared(settings), answer), yields: yields === undefined ? null : isYielding };
  });
}

/** Returns a function that finds the rows of a path. A dynamic route handles all methods. */
function finderOf(routes: readonly AnyRoute[], connection: Connection): (ctx: RoutedContext) => Rows | null {
  const dynamic = routes.find((route) => 'find' in route);
  if (dynamic !== undefined)
    return ({ captures = [], state }) => {
      const rows = dynamic.find(captures, connection.running ?? notRunning());
      if (rows !== null) (state as RequestState).typeName = captures[0]; // of each request
      return rows;
    };
  const rows = firstOf(routes.flatMap((route) => ('find' in route ? [] : [route])));
  return () => rows;
}

/** Returns the rows by method. The first row of a method is used. */
function firstOf(routes: readonly FixedRoute[]): Rows {
  const rows = new Map<string, FixedRoute>();
  for (const route of routes) if (!rows.has(route.method)) rows.set(route.method, route);
  return rows;
}

function createRouter(paths: readonly Path[]): Middleware {
  const router = new Router({ sensitive: true });
  for (const { path, answer, yields } of paths)
    router.all(path, yields === null ? answer : (ctx, next) => (yields() ? next() : answer(ctx)));
  return router.routes() as Middleware; // the router itself sets the properties that its type requires
}

/** Composes middleware, with the answer innermost. This is done once, because the router would repeat it for each request. */
const nest = (shared: readonly Middleware[], answer: Answering): Answering =>
  shared.reduceRight<Answering>((inner, middleware) => {
    const run = middleware as (ctx: Context, next: () => Promise<void>) => Promise<void>; // returns a promise
    return (ctx) => run(ctx, () => inner(ctx));
  }, answer);
