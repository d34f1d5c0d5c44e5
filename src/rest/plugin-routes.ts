import type { Context, Middleware } from 'koa';
import { answerMethod } from '../http/answer-method.js';
import type { Admitted, Demand, Gate } from '../http/create-gate.js';

/** What a handler is given. */
export interface RouteCall extends Admitted {
  readonly ctx: Context;
  /** The parts of the path that `:name` stands for. */
  readonly params: Readonly<Record<string, string>>;
}

/** A route that belongs to no content type. */
export interface PluginRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Behind the prefix: `/users/:id`. */
  readonly path: string;
  readonly demand: Demand;
  /** Sets status and body of the answer. */
  readonly handle: (call: RouteCall) => Promise<void> | void;
}

interface Path {
  readonly segments: readonly string[];
  readonly routes: readonly PluginRoute[];
}

/** Serves routes under the prefix of the API; the first path that fits decides, so fixed ones come before those with parameters. */
export function pluginRoutes(prefix: string, routes: readonly PluginRoute[], gate: Gate): Middleware {
  const paths = groupByPath(routes);
  return async (ctx, next) => {
    if (!ctx.path.startsWith(`${prefix}/`)) return next();
    const segments = ctx.path.slice(prefix.length).replace(/\/$/, '').split('/');
    const path = paths.find((candidate) => fits(candidate, segments));
    if (path === undefined) return next();
    await answer(ctx, path, segments, gate);
  };
}

function groupByPath(routes: readonly PluginRoute[]): Path[] {
  const names = [...new Set(routes.map(({ path }) => path))];
  return names.map((name) => ({ segments: name.split('/'), routes: routes.filter(({ path }) => path === name) }));
}

const fits = ({ segments }: Path, given: readonly string[]): boolean =>
  segments.length === given.length &&
  segments.every((segment, index) => (segment.startsWith(':') ? given[index] !== '' : segment === given[index]));

async function answer(ctx: Context, { segments, routes }: Path, given: readonly string[], gate: Gate): Promise<void> {
  const method = ctx.method === 'HEAD' ? 'GET' : ctx.method;
  const route = routes.find((candidate) => candidate.method === method);
  if (route === undefined) {
    answerMethod(
      ctx,
      routes.flatMap((other) => (other.method === 'GET' ? ['HEAD', 'GET'] : [other.method])),
    );
    return;
  }
  const admitted = await gate.admit(ctx, route.demand);
  await route.handle({ ...admitted, ctx, params: paramsOf(segments, given) });
}

function paramsOf(segments: readonly string[], given: readonly string[]): Record<string, string> {
  const params = segments.flatMap((segment, index) =>
    segment.startsWith(':') ? [[segment.slice(1), decodeURIComponent(given[index] ?? '')] as const] : [],
  );
  return Object.fromEntries(params);
}
