import type Koa from 'koa';
import type { Context, Middleware } from 'koa';
import type { Caller } from '#content/rights/caller.js';
import type { RequiredAction } from './authorize.js';
import type { Row, Rows } from './route.js';
import type { RouteParams } from './route-request.js';

/** The match of a path in the code of a project. */
export interface RouteMatch {
  /** Null if there is nothing at the path. The route table is not searched then. */
  readonly rows: Rows | null;
  /** Decoded path parameters. */
  readonly params: RouteParams;
}

/** A route of the code of a project. */
export interface ProjectRoute {
  readonly method: string;
  /** A path such as `/api/pages/:slug`, with parameters in the form of the route table. */
  readonly path: string;
  readonly row: Row;
  /** Full name of the action, such as `api::page.page.bySlug`; null if it is a function. */
  readonly handler: string | null;
  /** Whether the service answers it without code of the project. */
  readonly isGenerated: boolean;
}

/** The code of a project that handles requests. */
export interface ProjectCode {
  /**
   * Returns the match of a path; null if the route table should be used. Called before the table is searched. `open` leaves out the
   * routes of administrators, which only their port answers.
   */
  find(method: string, path: string, open?: 'open'): RouteMatch | null;
  /** Returns the routes that requests can reach. Returns the same list until they change. */
  routes(): readonly ProjectRoute[];
  /** Returns the middlewares of the project around all requests, by name or place. */
  middlewares(): readonly string[];
  /** Middleware around all answers. The body has been read by then. */
  readonly middleware: Middleware;
  /** Tells code the caller and the action of a request, before the rights are checked. */
  noteCaller(ctx: Context, action: RequiredAction, caller: Caller, params: RouteParams): void;
  /** Adds members to Koa's context that code of a project expects. */
  extend(app: Koa): void;
}
