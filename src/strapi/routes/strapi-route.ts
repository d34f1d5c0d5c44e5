import type { Route } from '#http/route.js';
import type { CodeContext } from './code-requests.js';

/** The handler of a route, or a middleware. */
export type CodeHandler = (ctx: CodeContext, next: () => Promise<unknown>) => unknown;

/** A policy. The request passes if it returns true or undefined. */
export type CodePolicy = (context: CodeContext, config: unknown, services: { readonly strapi: unknown }) => unknown;

/** Returns a middleware for a configuration. */
export type CodeMiddleware = (config: unknown, services: { readonly strapi: unknown }) => CodeHandler | undefined;

export interface RouteConfig {
  /**
   * False if everybody may call the route, without being identified. `scope` are the required actions; by default, and if it is empty,
   * that of the handler.
   */
  readonly auth?: boolean | { readonly scope?: readonly string[] };
  readonly policies?: readonly (string | CodePolicy | { readonly name: string; readonly config?: unknown })[];
  readonly middlewares?: readonly (string | CodeHandler | MiddlewareItem)[];
  /** With any value, the route has no prefix of the router, as in Strapi v4. */
  readonly prefix?: unknown;
}

/** A middleware by its name or file, also used in config/middlewares. */
export interface MiddlewareItem {
  readonly name?: string;
  readonly resolve?: string;
  readonly config?: unknown;
}

/** A route as a project defines it. */
export interface StrapiRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'ALL';
  readonly path: string;
  /** Name for `ctx._matchedRouteName`. */
  readonly name?: string;
  /** `controller.action`, a function, or a list of functions. */
  readonly handler: string | CodeHandler | readonly CodeHandler[];
  readonly config?: RouteConfig;
}

export interface StrapiRouter {
  /** Type of the router. Those of type `content-api` have the API prefix. */
  readonly type?: string;
  readonly prefix?: string | false | null;
  readonly routes: readonly StrapiRoute[];
}

/** A route, with attributes of the place where it is defined. */
export interface ResolvedRoute {
  readonly route: StrapiRoute;
  /** Path with all prefixes. */
  readonly path: string;
  /** Owner such as `api::page` or `plugin::users-permissions`; null for routes of strapi.server.routes. */
  readonly owner: string | null;
  /** Whether administrators call it, with the tokens of the panel. */
  readonly isAdmin: boolean;
  /** Requirements of the route in addition to its actions. */
  readonly requirements?: RouteRequirements;
}

/** The middleware of Strapi v4 that limits attempts. Attempts are counted on routes that list it. */
export const attemptLimit = 'plugin::users-permissions.rateLimit';

/** Requirements of a built-in route that stay if code overrides it. */
export interface RouteRequirements extends Pick<Route, 'steps'> {
  /** The built-in route, if code has not changed it. */
  readonly unchanged?: Route;
}

const methods: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'ALL'];

/** Throws an Error if the method or handler of a route is invalid. */
export function checkRoute({ route, path }: ResolvedRoute): void {
  const { method, handler } = route;
  const isHandler = typeof handler === 'string' || typeof handler === 'function' || Array.isArray(handler);
  if (!methods.includes(String(method).toUpperCase()))
    throw new Error(`route ${path}: the method must be one of ${methods.join(', ')}`);
  if (!isHandler) throw new Error(`route ${String(method)} ${path}: there is no handler`);
}

/** Returns the full name of a handler; null if it is not a name. */
export function handlerName({ route: { handler }, owner }: ResolvedRoute): string | null {
  if (typeof handler !== 'string') return null;
  const name = handler.trim();
  return owner === null || name.includes('::') ? name : `${owner}.${name}`;
}

/** Returns the uid of the controller and the action in the full name of a handler. */
export function handlerParts(name: string): { readonly uid: string; readonly action: string } {
  const end = name.lastIndexOf('.');
  return { uid: name.slice(0, end), action: name.slice(end + 1) };
}

/**
 * Returns the required actions of a route; an empty list if the caller only needs to be identified, null if everybody may call
 * it, or it identifies administrators itself.
 */
export function scopesOf(resolved: ResolvedRoute): readonly string[] | null {
  const auth = resolved.route.config?.auth;
  if (auth === false || resolved.isAdmin) return null;
  const scope = typeof auth === 'object' ? [auth.scope ?? []].flat() : [];
  if (scope.length > 0) return scope;
  const name = resolved.owner === null ? null : handlerName(resolved);
  return name === null ? [] : [name];
}
