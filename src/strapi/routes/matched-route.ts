import type { Context } from 'koa';
import type { ProjectRoute } from '../../http/route.js';
import type { RouteParams } from '../../http/route-request.js';

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

/** Sets what the router of Strapi v4 tells code: the path of the route, its name if it has one, and the router. */
export function noteRoute(ctx: Context, path: string, router: CodeRouter, name?: unknown): void {
  Object.assign(ctx, {
    _matchedRoute: path,
    routerPath: path,
    router,
    ...(typeof name === 'string' && { _matchedRouteName: name }),
  });
}

/** Returns the path of the route that has matched: `/api/articles/:id` for `/api/articles/1`. */
export function patternOf(path: string, params: RouteParams): string {
  const names = new Map(Object.entries(params).map(([name, value]) => [encodeURIComponent(value), `:${name}`]));
  return path
    .split('/')
    .map((part) => names.get(part) ?? part)
    .join('/');
}
