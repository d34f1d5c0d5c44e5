import type Koa from 'koa';
import type { Context, Middleware } from 'koa';
import type { LimitedRoute } from '../accounts/login/limit-attempts.js';
import type { MiddlewaresConfig } from '../config/config.js';
import type { ApiError } from '../errors.js';
import type { Authorized, RouteRequirement } from './authorize.js';
import type { CorsSettings } from './koa-packages.js';
import type { RouteParams, RouteRequest } from './route-request.js';
import type { Connection, Running } from './running.js';

/** An answer to the client. */
export interface Answer {
  /** 200 unless given. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Objects and lists are sent as JSON; text, bytes and streams as they are. */
  readonly body?: unknown;
}

/** A request to a row that needs no rights. */
interface OpenCall {
  readonly request: RouteRequest;
  /** Its `running` is null until the service is connected. */
  readonly connection: Connection;
}

/** A request whose caller has the right that its row requires. */
export interface RouteCall extends Authorized {
  readonly request: RouteRequest;
  readonly running: Running;
}

/** A row whose callers are not identified. It answers even before the service is connected, and gets no large bodies. */
interface OpenRow {
  readonly action: null;
  readonly handle: (call: OpenCall) => Answer | Promise<Answer>;
}

/** A row whose callers are identified, and must have its right. */
interface IdentifiedRow extends RouteRequirement {
  /** Attempts are counted under this name, before they are handled. */
  readonly limit?: LimitedRoute;
  /** Answers a 401 instead of the error response. */
  readonly refuse?: (error: ApiError) => Answer;
}

/** A row that answers by a value. */
export interface GuardedRow extends IdentifiedRow {
  readonly handle: (call: RouteCall) => Answer | Promise<Answer>;
}

/** A row whose code needs Koa's context. Null: the code has set the answer there. */
interface ContextRow extends IdentifiedRow {
  readonly handleContext: (ctx: Context, call: RouteCall) => Promise<Answer | null>;
}

/** A row of a path for one method. */
export type Row = OpenRow | GuardedRow | ContextRow;

/** The rows of a path by method, in the order of the Allow header. `ALL`: every method that is not named. */
export type Rows = ReadonlyMap<string, Row>;

/** Settings of a path. */
export interface PathSettings {
  readonly cors?: CorsSettings;
  readonly body?: MiddlewaresConfig['body'];
  /** Answers are not compressed, since that would not make them smaller, or they must not be changed. */
  readonly isUncompressed?: true;
  /** The shared middleware is skipped: no headers are set, no body is read, errors are not translated. */
  readonly isBare?: true;
}

/** A JSON schema, or what makes one from the models in force. */
type AcceptedBody = JsonSchema | ((call: Pick<Authorized, 'content'>) => JsonSchema);

type JsonSchema = Readonly<Record<string, unknown>>;

interface RouteKey {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS' | 'ALL';
  /** `/users/:id`; `{/*rest}`: anything below. */
  readonly path: string;
  /** The same for all rows of a path. */
  readonly settings?: PathSettings;
  /** The JSON schema of the body, if the row checks its body by one. */
  readonly accepts?: AcceptedBody;
}

/** A row of the route table. */
export type Route = RouteKey & GuardedRow;
export type OpenRoute = RouteKey & OpenRow;
export type ContextRoute = RouteKey & ContextRow;

/** A path whose rows are looked up when a request comes; null: there is nothing there. `params` are not decoded. */
export interface DynamicRoute extends Pick<RouteKey, 'path'> {
  readonly find: (params: readonly string[], running: Running) => Rows | null;
}

export type FixedRoute = Route | OpenRoute | ContextRoute;
export type AnyRoute = FixedRoute | DynamicRoute;

/** Returns the rows with a prefix in front of their paths. */
export const withPrefix = <Row extends RouteKey>(prefix: string, routes: readonly Row[]): Row[] =>
  routes.map((route) => ({ ...route, path: `${prefix}${route.path}` }));

/** The code of a project at a path. */
export interface RouteMatch {
  /** Null if there is nothing, and the route table is not searched either. */
  readonly rows: Rows | null;
  /** Decoded. */
  readonly params: RouteParams;
}

/** A route of the code of a project. */
export interface ProjectRoute {
  readonly method: string;
  /** `/api/pages/:slug`; parameters are in the form of the route table. */
  readonly path: string;
  readonly row: Row;
  /** The full name of its action, such as `api::page.page.bySlug`; null if it is a function. */
  readonly handler: string | null;
  /** Whether the service answers as it does by itself. */
  readonly isGenerated: boolean;
}

/** Code of a project that takes part in requests. */
export interface ProjectCode {
  /** Returns the code at a path; null leaves the request to the route table. Called before the table is searched. */
  find(method: string, path: string): RouteMatch | null;
  /** Returns the routes that requests reach; the same list until they change. */
  routes(): readonly ProjectRoute[];
  /** Runs around the answer to every request, when the body is read. */
  readonly middleware: Middleware;
  /** Adds the members to Koa's context that code expects. */
  extend(app: Koa): void;
}
