import type { Context } from 'koa';
import { answerMethod } from './answer-method.js';

/** What a route is found by; `path` begins behind a prefix, `:name` stands for one part of it: `/users/:id`. */
export interface RouteKey {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
}

/** The parts of the path that `:name` stands for. */
export type RouteParams = Readonly<Record<string, string>>;

export interface FoundRoute<Route> {
  readonly route: Route;
  readonly params: RouteParams;
}

interface PathEntry<Route> {
  readonly segments: readonly string[];
  readonly routes: readonly Route[];
}

/**
 * Gives a function that finds the route of a request under a prefix: null where no path fits, and `answered` where one fits but
 * not the method, which is answered by 405. The first path that fits decides, so fixed ones come before those with parameters.
 */
export function routeTable<Route extends RouteKey>(
  prefix: string,
  routes: readonly Route[],
): (ctx: Context) => FoundRoute<Route> | 'answered' | null {
  const names = [...new Set(routes.map(({ path }) => path))];
  const entries = names.map((name): PathEntry<Route> => ({
    segments: name.split('/'),
    routes: routes.filter(({ path }) => path === name),
  }));
  return (ctx) => {
    if (!ctx.path.startsWith(`${prefix}/`)) return null;
    const given = ctx.path.slice(prefix.length).replace(/\/$/, '').split('/');
    const entry = entries.find((candidate) => fits(candidate.segments, given));
    return entry === undefined ? null : pickRoute(ctx, entry, given);
  };
}

const fits = (segments: readonly string[], given: readonly string[]): boolean =>
  segments.length === given.length &&
  segments.every((segment, index) => (segment.startsWith(':') ? given[index] !== '' : segment === given[index]));

function pickRoute<Route extends RouteKey>(
  ctx: Context,
  { segments, routes }: PathEntry<Route>,
  given: readonly string[],
): FoundRoute<Route> | 'answered' {
  const method = ctx.method === 'HEAD' ? 'GET' : ctx.method;
  const route = routes.find((candidate) => candidate.method === method);
  if (route !== undefined) return { route, params: paramsOf(segments, given) };
  answerMethod(
    ctx,
    routes.flatMap((other) => (other.method === 'GET' ? ['HEAD', 'GET'] : [other.method])),
  );
  return 'answered';
}

function paramsOf(segments: readonly string[], given: readonly string[]): RouteParams {
  const params = segments.flatMap((segment, index) =>
    segment.startsWith(':') ? [[segment.slice(1), decodeURIComponent(given[index] ?? '')] as const] : [],
  );
  return Object.fromEntries(params);
}
