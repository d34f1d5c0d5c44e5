import type { ContextRoute } from '../http/route.js';
import type { CodeContext } from './core-controller.js';

/** A function of a route or middleware. */
export type CodeHandler = (ctx: CodeContext, next: () => Promise<unknown>) => unknown;

/** Passes with true or undefined; everything else is refused. */
export type CodePolicy = (context: CodeContext, config: unknown, services: { readonly strapi: unknown }) => unknown;

/** Returns a middleware for the configuration of its place. */
export type CodeMiddleware = (config: unknown, services: { readonly strapi: unknown }) => CodeHandler | undefined;

export interface RouteConfig {
  /** false: everybody may call the route, and callers are not identified. `scope`: the required actions; else that of the handler. */
  readonly auth?: boolean | { readonly scope?: readonly string[] };
  readonly policies?: readonly (string | CodePolicy | { readonly name: string; readonly config?: unknown })[];
  readonly middlewares?: readonly (string | CodeHandler | MiddlewareItem)[];
  /** Replaces the prefix of the router. */
  readonly prefix?: string;
}

/** A middleware by its name or its file, as config/middlewares lists them too. */
export interface MiddlewareItem {
  readonly name?: string;
  readonly resolve?: string;
  readonly config?: unknown;
}

/** A route as a project writes it. */
export interface StrapiRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'ALL';
  readonly path: string;
  /** `controller.action`, or functions. */
  readonly handler: string | CodeHandler | readonly CodeHandler[];
  readonly config?: RouteConfig;
}

export interface StrapiRouter {
  /** Routes of type `content-api` have the prefix of the API. */
  readonly type?: string;
  readonly prefix?: string;
  readonly routes: readonly StrapiRoute[];
}

/** A route with what the place says that it was written in. */
export interface ResolvedRoute {
  readonly route: StrapiRoute;
  /** With all prefixes. */
  readonly path: string;
  /** `api::page` or `plugin::users-permissions`; null: routes of strapi.server.routes. */
  readonly owner: string | null;
  /** Requirements of the route besides its actions. */
  readonly requirements?: RouteRequirements;
}

/** The middleware of Strapi v4 that limits attempts: a route that lists it counts them. */
export const attemptLimit = 'plugin::users-permissions.rateLimit';

/** Requirements that a route of the service keeps if code overrides it. */
export type RouteRequirements = Pick<ContextRoute, 'limit' | 'ignoresEnded'>;

const methods: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'ALL'];

/** Throws an Error if it is no route. */
export function checkRoute({ route, path }: ResolvedRoute): void {
  const { method, handler } = route;
  const isHandler = typeof handler === 'string' || typeof handler === 'function' || Array.isArray(handler);
  if (!methods.includes(String(method).toUpperCase()))
    throw new Error(`route ${path}: the method must be one of ${methods.join(', ')}`);
  if (!isHandler) throw new Error(`route ${String(method)} ${path}: there is no handler`);
}

/** The full name of a handler; null for functions. */
export function handlerName({ route: { handler }, owner }: ResolvedRoute): string | null {
  if (typeof handler !== 'string') return null;
  const name = handler.trim();
  return owner === null || name.includes('::') ? name : `${owner}.${name}`;
}

/** The actions that a route asks for; null: it is for everybody, an empty list: for everybody who is identified. */
export function scopesOf(resolved: ResolvedRoute): readonly string[] | null {
  const auth = resolved.route.config?.auth;
  if (auth === false) return null;
  if (typeof auth === 'object' && auth.scope !== undefined) return [auth.scope].flat();
  const name = resolved.owner === null ? null : handlerName(resolved);
  return name === null ? [] : [name];
}
