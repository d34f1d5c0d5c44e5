import type { Context } from 'koa';
import type { Caller } from '#content/rights/caller.js';
import { noteCaller } from '#api/code/caller-state.js';
import { nobody } from '#http/authorize.js';
import type { ProjectRoute } from '#http/project-code.js';
import type { RouteParams } from '#http/route-request.js';
import type { Registry } from '#model/schema/content-type.js';
import type { Values } from '#base/values.js';

/** The router of a request, as far as code of Strapi v4 reads it. */
export interface CodeRouter {
  readonly opts: { readonly prefix: string };
  readonly stack: readonly { readonly path: string; readonly methods: readonly string[]; readonly name: string | null }[];
}

/** Returns the router of routes with a prefix, which change while the service runs. */
export const routerOf = (source: { readonly prefix: string; readonly routes: readonly ProjectRoute[] }): CodeRouter => ({
  get opts() {
    return { prefix: source.prefix };
  },
  get stack() {
    return source.routes.map(({ path, method }) => ({ path, methods: [method], name: null }));
  },
});

/** A request whose route is known. */
interface MatchedRequest {
  /** The path of the route with all prefixes: `/api/articles/:id`. */
  readonly path: string;
  readonly params: RouteParams;
  /** What `ctx.state.route` says. */
  readonly route: Values;
  readonly caller: Caller;
}

interface MatchParts {
  readonly router: CodeRouter;
  readonly registry: Registry;
}

/**
 * Sets in Koa's context what the router of Strapi v4 tells code: the route, its parameters, and who has sent the request, unless the
 * route has `auth: false`.
 */
export function noteMatch(ctx: Context, { path, params: given, route, caller }: MatchedRequest, parts: MatchParts): void {
  const { name } = route;
  const params = { ...given };
  Object.assign(ctx, { _matchedRoute: path, routerPath: path, router: parts.router, params });
  if (typeof name === 'string') Object.assign(ctx, { _matchedRouteName: name });
  Object.assign(ctx.request, { params });
  if (caller !== nobody) noteCaller(ctx.state, caller, parts.registry);
  if ('info' in route) Object.assign(ctx.state, { route });
}

/** Returns what `ctx.state.route` says about the route of an action that the service answers itself: of GraphQL only its type. */
export function routeOf(action: string, method: string, path: string): Values {
  if (!action.includes('::')) return { info: infoOf(null) };
  const [, plugin, name] = /^plugin::([^.]+)\.(.+)$/.exec(action) ?? [];
  const owner = plugin === undefined ? (action.split('.')[0] ?? '') : `plugin::${plugin}`;
  return { method, path, handler: name ?? action, config: {}, info: infoOf(owner) };
}

/** Returns `ctx.state.route.info`, which names the API or plugin of a route. */
export function infoOf(owner: string | null, isAdmin = false): Readonly<Record<string, string>> {
  const [kind, name = ''] = owner?.split('::') ?? [];
  return {
    type: isAdmin ? 'admin' : 'content-api',
    ...(kind === 'api' && { apiName: name }),
    ...(kind === 'plugin' && { pluginName: name }),
  };
}

/** Returns the path of the route that has matched: `/api/articles/:id` for `/api/articles/1`. */
export function patternOf(path: string, params: RouteParams): string {
  const names = new Map(Object.entries(params).map(([name, value]) => [encodeURIComponent(value), `:${name}`]));
  return path
    .split('/')
    .map((part) => names.get(part) ?? part)
    .join('/');
}
