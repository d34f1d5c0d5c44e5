import { isDeepStrictEqual } from 'node:util';
import type { Config } from '#settings/config.js';
import type { Route } from '#http/route.js';
import { limitIn } from '#http/steps/counted.js';
import type { Controller } from '../routes/core-controller.js';
import type { RegisteredRouter } from '../routes/project-routes.js';
import { attemptLimit, type RouteRequirements, type StrapiRoute } from '../routes/strapi-route.js';

/** The controllers of a plugin by name. */
export type Controllers = Readonly<Record<string, Controller>>;

/** The parts of a plugin that decide about its routes, as code has left them. */
interface ChangedRoutes {
  readonly controllers: Controllers;
  readonly routes: { readonly 'content-api': { readonly routes: readonly StrapiRoute[] } };
}

/** Returns a built-in route in the form of Strapi v4: without the prefix of the plugin, if its path has that. */
export function writtenRoute({ method, path, action, steps }: Route, name: string, { api }: Config): StrapiRoute {
  const [prefix, below] = [`/${name}`, path.slice(api.rest.prefix.length)];
  const isPrefixed = below === prefix || below.startsWith(`${prefix}/`);
  return {
    method: method as StrapiRoute['method'], // REST has only these methods
    path: isPrefixed ? below.slice(prefix.length) || '/' : below,
    handler: action.slice(`plugin::${name}.`.length),
    config: { middlewares: limitIn(steps) === undefined ? [] : [attemptLimit], ...(!isPrefixed && { prefix: '' }) },
  };
}

interface GivenParts {
  readonly before: Controllers;
  /** The built-in routes, by the routes that code got. */
  readonly written: ReadonlyMap<StrapiRoute, Route>;
  /** The routes as code got them, which it may have changed in place. */
  readonly givenRoutes: ReadonlyMap<StrapiRoute, StrapiRoute>;
}

/** Returns the router of a plugin that code may have changed. Without changes it has no routes. */
export function routerOf(
  { name, file }: { readonly name: string; readonly file: string },
  plugin: ChangedRoutes,
  { before, written, givenRoutes }: GivenParts,
): RegisteredRouter {
  const isChanged = (route: StrapiRoute): boolean => {
    const [controller = '', action = ''] = String(route.handler).split('.');
    return (
      !isDeepStrictEqual(route, givenRoutes.get(route)) ||
      plugin.controllers[controller]?.[action] !== before[controller]?.[action]
    );
  };
  const byHandler = new Map([...written].reverse().map(([route, one]) => [givenRoutes.get(route)?.handler, one] as const));
  const requirementsOf = (route: StrapiRoute): RouteRequirements => {
    const unchanged = isChanged(route) ? undefined : written.get(route);
    if (unchanged !== undefined) return { unchanged };
    const { steps = [] } = written.get(route) ?? byHandler.get(route.handler) ?? {};
    return { steps: steps.filter(({ stage }) => stage === 'caller' || stage === 'count') };
  };
  const ordered = addedFirst(plugin.routes['content-api'].routes, [...givenRoutes.values()]);
  const kept = new Set(ordered.map(keyOf));
  const removed = [...written].flatMap(([route, one]) => (kept.has(keyOf(givenRoutes.get(route) ?? route)) ? [] : [one]));
  const router = { prefix: `/${name}`, routes: ordered.some(isChanged) ? ordered : [] };
  return { router, removed, prefix: null, owner: `plugin::${name}`, file, requirementsOf };
}

/** Paths without parameters that code adds come before those of the service, which would take their requests: `/users/:id`. */
function addedFirst(routes: readonly StrapiRoute[], written: readonly StrapiRoute[]): StrapiRoute[] {
  const keys = new Set(written.map(keyOf));
  const isAdded = (route: StrapiRoute): boolean => !keys.has(keyOf(route)) && !route.path.includes(':');
  return [...routes.filter(isAdded), ...routes.filter((route) => !isAdded(route))];
}

/** Returns the method and the path of a route, and its prefix unless it is that of the plugin. */
const keyOf = ({ method, path, config }: StrapiRoute): string => `${method} ${String(config?.prefix)} ${path}`;
