import { messageOf } from '#base/errors.js';
import type { ProjectCode, ProjectRoute } from '#http/project-code.js';
import type { Route } from '#http/route.js';
import type { Connection } from '#http/running.js';
import { panelRoutes } from '#admin/panel-paths.js';
import { createRow, namedActions } from '#api/rest/content-routes.js';
import { QueryCache } from '#api/rest/read-query.js';
import type { Registry } from '#model/schema/content-type.js';
import type { NoteProblem } from '../load/code-problems.js';
import { type ClosedInput, closedPaths } from './closed-paths.js';
import { withoutAuthorization } from './code-steps.js';
import { createRouteRow, type EndpointParts } from './endpoints.js';
import type { CoreCode } from './factories.js';
import { type GuardedAction, guardedBy, namesOf, isPlain } from './guarded-actions.js';
import { withLookUps } from './look-up-routes.js';
import { leftOutFile } from './left-out-file.js';
import { compilePath, UnreachablePathError } from './route-paths.js';
import { findRows, indexRoutes, type OrderedRoute, type RouteIndex } from './route-index.js';
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
  /** Whether its routes are for administrators, with the tokens of the panel. */
  readonly isAdmin?: boolean;
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

interface ProjectRoutesInput extends EndpointParts, ClosedInput {
  /** The built-in routes of plugins. */
  readonly builtin: readonly Route[];
  readonly code: {
    readonly routers: readonly RegisteredRouter[];
    readonly core: Pick<CoreCode, 'isCore'>;
    readonly connection: Pick<Connection, 'isPrepared'>;
  };
  /** Called with the problem of a route, which is then skipped. */
  readonly warn: NoteProblem;
  /** Notes what stops nothing. */
  readonly log: NoteProblem;
  /** Files that could not run, by the kind and full name of their code. */
  readonly leftOut: ReadonlyMap<string, string>;
}

/** The routes in force for one registry. */
export interface RouteTable {
  readonly index: RouteIndex;
  /** The index without the routes of administrators. */
  readonly openIndex: RouteIndex;
  /** Actions that can be granted to roles, in addition to those of content types. */
  readonly actions: readonly string[];
  readonly guarded: readonly GuardedAction[];
  /** Returns the match of a path, without the routes of administrators. */
  readonly find: ProjectCode['find'];
}

/** The routes of a project: those of its code, and generated ones that its routers contain. */
export class ProjectRoutes {
  readonly #input: ProjectRoutesInput;
  readonly #queries: QueryCache;
  readonly #reported = new Set<string>();
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
    const table = buildTable(registry, { ...this.#input, queries: this.#queries, reported: this.#reported });
    this.#table = { registry, routers: routers.length, isPrepared, table };
    return table;
  }
}

function buildTable(registry: Registry, input: Omit<RowParts, 'file'> & { readonly reported: Set<string> }): RouteTable {
  const all = input.code.routers.flatMap((router) => {
    const { reported, warn, log } = input;
    const parts = { ...input, warn: once(router.warn ?? warn, reported), log: once(log, reported), file: router.file };
    return resolveRoutes(router, parts).flatMap((route) => orderedRoute(route, registry, parts) ?? []);
  });
  const [open, admin] = [all.filter(({ isAdmin }) => !isAdmin), all.filter(({ isAdmin }) => isAdmin)];
  const actions = [...new Set(open.flatMap(({ handler }) => handler ?? []))];
  const routed = new Set(actions.map((name) => handlerParts(name).uid));
  const removed = new Set(input.code.routers.flatMap((router) => router.removed ?? []));
  const fixed = input.builtin.filter((route) => route.yields === undefined); // the table knows whether others answer
  const builtin = fixed.map((route) =>
    removed.has(route) ? { ...unchangedRoute(route), isRemoved: true as const } : unchangedRoute(route),
  );
  const served = [...withLookUps(open, input.queries), ...builtin];
  const closed = closedPaths(registry, routed, input);
  const openIndex = indexRoutes(served, closed);
  const index = admin.length === 0 ? openIndex : indexRoutes([...served, ...panelRoutes.map(unchangedRoute), ...admin], closed);
  const find: RouteTable['find'] = (method, path) => findRows(method, path, openIndex);
  return { index, openIndex, actions, guarded: open.flatMap(({ guarded = [] }) => guarded), find };
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
  readonly isAdmin: boolean;
  readonly guarded?: readonly GuardedAction[];
}

/** Returns a route with its row; null, after a warning, if it is invalid. */
function orderedRoute(resolved: ResolvedRoute, registry: Registry, parts: RowParts): GuardedRoute | null {
  const { unchanged } = resolved.requirements ?? {};
  const { path, route, isAdmin } = resolved;
  if (unchanged !== undefined) return { ...unchangedRoute(unchanged), isAdmin };
  try {
    checkRoute(resolved);
    compilePath(path); // names a path that can never match
    const method = route.method.toUpperCase();
    const guarded = isAdmin ? [] : guardedBy(resolved, registry, parts);
    const handler = handlerName(resolved);
    return { method, path, handler, isAdmin, isUnchanged: false, guarded, ...rowOf(resolved, registry, parts) };
  } catch (error) {
    const object = { method: route.method, path: route.path };
    const needs = leftOutFile(resolved, parts.leftOut);
    const note = error instanceof UnreachablePathError ? parts.log : parts.warn;
    note(`route ${route.method} ${path}: ${messageOf(error)}`, {
      file: parts.file,
      object,
      ...(needs !== undefined && { needs }),
    });
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
  { router, prefix, owner, file, isAdmin = false, requirementsOf }: RegisteredRouter,
  { config, warn }: ProjectRoutesInput,
): ResolvedRoute[] {
  try {
    const base = prefix ?? config.api.rest.prefix;
    return router.routes.map((route) => {
      const { config = {} } = route;
      const own = ('prefix' in config ? null : router.prefix) || ''; // any prefix of a route takes that of the router away
      return {
        route,
        path: pathBelow(base, pathBelow(own, route.path)),
        owner,
        isAdmin,
        ...(requirementsOf && { requirements: requirementsOf(route) }),
      };
    });
  } catch (error) {
    warn(`${file}: ${messageOf(error)}`);
    return [];
  }
}

/** Returns a path below a prefix. A slash alone is the prefix itself. */
const pathBelow = (prefix: string, path: string): string => (path === '/' && prefix !== '' ? prefix : `${prefix}${path}`);

type RowParts = ProjectRoutesInput & { readonly queries: QueryCache; readonly file: string };

/** Returns the row of a route. A generated route without policies, middlewares or overrides is handled by REST itself. */
function rowOf(resolved: ResolvedRoute, registry: Registry, input: RowParts): Pick<ProjectRoute, 'row' | 'isGenerated'> {
  const { uid, action } = namesOf(resolved);
  const type = registry.types.get(uid);
  const core =
    type === undefined || resolved.isAdmin || !isPlain(resolved, type, action, input) ? undefined : namedActions(type)[action];
  if (type === undefined || core === undefined) return { row: createRouteRow(resolved, { ...input, type }), isGenerated: false };
  const row = createRow(type, core, input.queries);
  const isOpen = resolved.route.config?.auth === false;
  return {
    row: isOpen ? { ...withoutAuthorization(row), toldAction: row.action } : row,
    isGenerated: true,
  };
}
