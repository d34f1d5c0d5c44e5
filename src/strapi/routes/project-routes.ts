import type { Config } from '../../config/config.js';
import { messageOf } from '../../errors.js';
import type { ProjectRoute, Route } from '../../http/route.js';
import type { Connection } from '../../http/running.js';
import { createRow, namedActions } from '../../rest/content-routes.js';
import { QueryCache } from '../../rest/read-query.js';
import type { Registry } from '../../schema/content-type.js';
import type { NoteProblem } from '../load/code-problems.js';
import { createRouteRow, type EndpointParts } from './endpoints.js';
import type { CoreCode } from './factories.js';
import { type GuardedAction, guardedBy, namesOf, isPlain } from './guarded-actions.js';
import { withLookUps } from './look-up-routes.js';
import { indexRoutes, type OrderedRoute, type RouteIndex } from './route-index.js';
import {
  checkRoute,
  handlerName,
  handlerParts,
  type ResolvedRoute,
  type RouteRequirements,
  type StrapiRoute,
  type StrapiRouter,
} from './strapi-route.js';

/** A router, with attributes of the place where it is defined. */
export interface RegisteredRouter {
  readonly router: StrapiRouter;
  /** Prefix of routers of `strapi.server.routes` and plugins; null for the API prefix. */
  readonly prefix: string | null;
  /** Owner such as `api::page` or `plugin::users-permissions`; null if there is none. */
  readonly owner: string | null;
  /** Path of the file for messages. */
  readonly file: string;
  /** Built-in routes that code has removed from its plugin, which are not served. */
  readonly removed?: readonly Route[];
  readonly requirementsOf?: (route: StrapiRoute) => RouteRequirements;
  /** Called with the problem of one of its routes, instead of the function for the whole project. */
  readonly warn?: NoteProblem;
}

interface ProjectRoutesInput extends EndpointParts {
  readonly config: Config;
  /** The built-in routes of plugins. */
  readonly builtin: readonly Route[];
  readonly code: {
    readonly routers: readonly RegisteredRouter[];
    readonly core: Pick<CoreCode, 'isCore'>;
    readonly connection: Pick<Connection, 'isPrepared'>;
  };
  /** The APIs and plugins whose content types are served only by their routers, such as `api::page`. */
  readonly owners: readonly string[];
  /** Called with the problem of a route, which is then skipped. */
  readonly warn: NoteProblem;
}

interface RouteTable extends RouteIndex {
  /** Actions that can be granted to roles, in addition to those of content types. */
  readonly actions: readonly string[];
  readonly guarded: readonly GuardedAction[];
}

/** The routes of a project: those of its code, and generated ones that its routers contain. */
export class ProjectRoutes {
  readonly #input: ProjectRoutesInput;
  readonly #queries: QueryCache;
  readonly #told = new Set<string>();
  #table: {
    readonly registry: Registry;
    readonly routers: number;
    readonly isPrepared: boolean;
    readonly table: RouteTable;
  } | null = null;

  constructor(input: ProjectRoutesInput) {
    this.#input = input;
    this.#queries = new QueryCache(input.config.api.limits);
  }

  /** Returns the table, which is built for each registry, and again after routes were added, or `bootstrap` has run. */
  tableOf(registry: Registry): RouteTable {
    const { routers, connection } = this.#input.code;
    const { isPrepared } = connection;
    const known = this.#table;
    if (known?.registry === registry && known.routers === routers.length && known.isPrepared === isPrepared) return known.table;
    const table = buildTable(registry, { ...this.#input, queries: this.#queries, told: this.#told });
    this.#table = { registry, routers: routers.length, isPrepared, table };
    return table;
  }
}

function buildTable(registry: Registry, input: Omit<RowParts, 'file'> & { readonly told: Set<string> }): RouteTable {
  const routes = input.code.routers.flatMap((router) => {
    const parts = { ...input, warn: once(router.warn ?? input.warn, input.told), file: router.file };
    return resolveRoutes(router, parts).flatMap((route) => orderedRoute(route, registry, parts) ?? []);
  });
  const actions = [...new Set(routes.flatMap(({ handler }) => handler ?? []))];
  const routed = new Set(actions.map((name) => handlerParts(name).uid));
  const removed = new Set(input.code.routers.flatMap((router) => router.removed ?? []));
  const builtin = input.builtin.map((route) =>
    removed.has(route) ? { ...unchangedRoute(route), isRemoved: true as const } : unchangedRoute(route),
  );
  const index = indexRoutes([...withLookUps(routes, input.queries), ...builtin], closedPaths(registry, routed, input));
  return { ...index, actions, guarded: routes.flatMap(({ guarded = [] }) => guarded) };
}

/** Returns a function that notes each problem once, because tables are built again. */
const once =
  (warn: NoteProblem, told: Set<string>): NoteProblem =>
  (text, place) => {
    if (told.has(text)) return;
    told.add(text);
    warn(text, place);
  };

interface GuardedRoute extends OrderedRoute {
  readonly guarded?: readonly GuardedAction[];
}

/** Returns a route with its row; null, after a warning, if it is invalid. */
function orderedRoute(resolved: ResolvedRoute, registry: Registry, parts: RowParts): GuardedRoute | null {
  const { unchanged } = resolved.requirements ?? {};
  if (unchanged !== undefined) return unchangedRoute(unchanged);
  const { path, route } = resolved;
  try {
    checkRoute(resolved);
    const method = route.method.toUpperCase();
    const guarded = guardedBy(resolved, registry, parts);
    return { method, path, handler: handlerName(resolved), isUnchanged: false, guarded, ...rowOf(resolved, registry, parts) };
  } catch (error) {
    const object = { method: route.method, path: route.path };
    parts.warn(`route ${route.method} ${path}: ${messageOf(error)}`, { file: parts.file, object });
    return null;
  }
}

const unchangedRoute = (row: Route): OrderedRoute => ({
  method: row.method,
  path: row.path,
  row,
  handler: null,
  isGenerated: true,
  isUnchanged: true,
});

/** Returns the routes of a router. Routes of a content type that is not in force are skipped with a warning. */
function resolveRoutes(
  { router, prefix, owner, file, requirementsOf }: RegisteredRouter,
  { config, warn }: ProjectRoutesInput,
): ResolvedRoute[] {
  try {
    const base = prefix ?? config.api.rest.prefix;
    return router.routes.map((route) => {
      const { config = {} } = route;
      const own = ('prefix' in config ? config.prefix : router.prefix) || ''; // false and null mean none
      return {
        route,
        path: `${base}${own}${route.path}`.replace(/(.)\/$/, '$1'),
        owner,
        ...(requirementsOf && { requirements: requirementsOf(route) }),
      };
    });
  } catch (error) {
    warn(`${file}: ${messageOf(error)}`);
    return [];
  }
}

type RowParts = ProjectRoutesInput & { readonly queries: QueryCache; readonly file: string };

/** Returns the row of a route. A generated route without policies, middlewares or overrides is handled by REST itself. */
function rowOf(resolved: ResolvedRoute, registry: Registry, input: RowParts): Pick<ProjectRoute, 'row' | 'isGenerated'> {
  const { uid, action } = namesOf(resolved);
  const type = registry.types.get(uid);
  const core = type === undefined || !isPlain(resolved, type, action, input) ? undefined : namedActions(type)[action];
  if (type === undefined || core === undefined) return { row: createRouteRow(resolved, { ...input, type }), isGenerated: false };
  const row = createRow(type, core, input.queries);
  const isOpen = resolved.route.config?.auth === false;
  return { row: isOpen ? { ...row, action: 'anybody', leavesRightsToCode: true } : row, isGenerated: true };
}

/**
 * Returns the generated paths of the project's content types, which are not served unless a router contains them, look-ups included. As in Strapi
 * v4, a type with any route also has the route of its localizations.
 */
function closedPaths(registry: Registry, routed: ReadonlySet<string>, { owners, config }: ProjectRoutesInput): string[] {
  const { prefix } = config.api.rest;
  const own = [...registry.types.values()].filter(
    ({ uid, kind }) => kind !== 'component' && owners.some((owner) => uid.startsWith(`${owner}.`)),
  );
  return own.flatMap(({ uid, kind, singularName, pluralName }) => {
    const path = `${prefix}/${kind === 'singleType' ? singularName : pluralName}`;
    const entry = kind === 'singleType' ? path : `${path}/:id`;
    const lookUps = kind === 'singleType' ? [] : [`${path}/count`, `${path}/by/:attribute/:value`];
    return [path, entry, ...lookUps, ...(routed.has(uid) ? [] : [`${entry}/localizations`])];
  });
}
