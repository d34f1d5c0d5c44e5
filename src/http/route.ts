import type { Context } from 'koa';
import type { EndSignal } from '#base/limits/ending.js';
import type { MiddlewaresConfig } from '#settings/config.js';
import type { ContentContext } from '#content/content-context.js';
import type { ApiError } from '#base/errors.js';
import type { Authorized, FindCaller, RequiredAction, RouteRequirement } from './authorize.js';
import type { ErrorAnswer } from './error-response.js';
import type { Schema } from './json-schema.js';
import type { CorsSettings } from './koa-packages.js';
import type { Access } from '#model/query/access.js';
import type { ContentType } from '#model/schema/content-type.js';
import type { AddedDescription, Describe, Errors, Operation } from './operation.js';
import type { RouteRequest } from './route-request.js';
import type { Connection, RunningService } from './running.js';
import type { Upgrade } from './upgrades.js';

/** An answer to the client. */
export interface Answer {
  /** The status; 200 by default. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The version of the entry that the answer shows; absent for other answers. It becomes part of the tag. */
  readonly version?: string | null;
  /** Objects and lists are sent as JSON; strings, bytes and streams unchanged. */
  readonly body?: unknown;
}

/** A request to a row that needs no rights. */
interface OpenCall {
  readonly request: RouteRequest;
  /** `running` is null until the service is connected. */
  readonly connection: Connection;
  /** As in RouteCall. */
  readonly ends?: EndSignal;
}

/** A request whose caller has the right that its row requires. */
export interface RouteCall extends Authorized {
  readonly request: RouteRequest;
  readonly running: RunningService;
  /** On paths with `isLong`: aborts when the client has disconnected, or the service stops. */
  readonly ends?: EndSignal;
  /** On paths with `mayLast`: makes the answer one of a path with `isLong`, and returns its `ends`. Throws a 503 if the service stops. */
  readonly last?: () => EndSignal;
  /**
   * Of a request for another protocol on paths with `upgrades`: leaves the connection to the handler, which returns null. Throws a
   * ForbiddenError for pages of origins that CORS does not allow.
   */
  readonly upgrade?: () => Upgrade | null;
  /** Of a request with an Idempotency-Key: see `runWithKey`. */
  readonly once?: (write: (content: ContentContext) => Promise<Answer>, parts: string | null) => Promise<Answer>;
}

/** A row whose callers are not identified. It answers even before the service is connected, and its bodies must be small. */
interface OpenRow {
  readonly action: null;
  readonly handle: (call: OpenCall) => Answer | Promise<Answer>;
}

/** A row whose callers are identified and must have the required right. `steps` are those besides the usual ones (`steps/chain.ts`). */
interface RequiringRow extends RouteRequirement {
  readonly steps?: readonly Step[];
}

/** A row whose handler returns the answer. */
export interface GuardedRow extends RequiringRow {
  /** Returns whether the OpenAPI document lists it for callers who have the required right; always by default. */
  readonly isListedFor?: (access: Access) => boolean;
  /** The content type whose entries it reads or writes without code of a project. */
  readonly type?: ContentType;
  /** The description in the OpenAPI document. */
  readonly operation?: Operation | Describe;
  /** In dynamic routes without it: the name of a description of actions on content types; the last part of `action` by default. */
  readonly describedAs?: string;
  readonly handle: (call: RouteCall) => Answer | Promise<Answer>;
}

/** A row whose handler needs Koa's context. It returns null if it has set the answer there. */
interface ContextRow extends RequiringRow {
  readonly handleContext: (ctx: Context, call: RouteCall) => Promise<Answer | null>;
}

/** The handler of one method on a path. */
export type Row = OpenRow | IdentifiedRow;
export type IdentifiedRow = GuardedRow | ContextRow;

/** Answers a request whose caller has the required right. Returns null if the answer is set in Koa's context. */
export type Run = (call: RouteCall, ctx: Context) => Answer | null | Promise<Answer | null>;

/** A step of the requests of a row: a header or parameter that it supports, with its errors, or what else happens around the handler. */
export interface Step {
  /** Of several steps of a name, a row has the last one. */
  readonly name: string;
  /** When it happens. The rights are checked after `caller`. Routes that project code extends have `caller` and `count` alone. */
  readonly stage: 'caller' | 'count' | 'check' | 'tag' | 'key';
  /** Whether it notes what a request reads (`ReadLog`): one that only reads, or any. */
  readonly notes?: 'reads' | 'all';
  /** Returns how the caller of a row with an action is found. Called once for each row. */
  readonly finds?: (action: RequiredAction) => FindCaller;
  /** Returns how more is found of the caller that is found by `find`. Called once for each row. */
  readonly extends?: (find: FindCaller) => FindCaller;
  /** Returns the rest of a request with the step before or around it. Called once for each row. */
  readonly around?: (rest: Run, row: IdentifiedRow) => Run;
  /** Returns the answer to a 401 instead of the error response. */
  readonly refuse?: (error: ApiError) => Answer;
  /** Returns what it adds to an operation in the OpenAPI document. The path is one such as `/users/:id`. */
  readonly describe?: (operation: { readonly method: string; readonly path: string }) => AddedDescription;
  /** What descriptions refer to in the document: parameters by name, errors by status. */
  readonly defines?: { readonly parameters?: Readonly<Record<string, object>>; readonly errors?: Errors };
}

/** The rows of a path by method, in the order of the Allow header. `ALL` is for all other methods. */
export type Rows = ReadonlyMap<string, Row>;

/** Settings of a path. */
export interface PathSettings {
  readonly cors?: CorsSettings;
  readonly body?: MiddlewaresConfig['body'];
  /** Disables compression, because answers are compressed already or must not be changed. */
  readonly isUncompressed?: true;
  /**
   * For long polls and streams. When the caller's rights are checked, the request leaves the queue of requests and has no time limit
   * any more. Its answer is never compressed, and the headers of a stream are sent at once. The handler must end its work when `ends`
   * of the call aborts.
   */
  readonly isLong?: true;
  /** Some answers are as those of `isLong`: the handler decides, by `last` of the call. */
  readonly mayLast?: true;
  /** Requests for another protocol, such as WebSocket, reach the handler, which may take them up by `upgrade` of the call. */
  readonly upgrades?: true;
  /** Returns the answer to an error in the place of the error envelope, because clients of the path know another form. */
  readonly errorAnswer?: ErrorAnswer;
  /** Skips the shared middleware: no headers are set, no body is read, errors are not translated. */
  readonly isBare?: true;
}

/** A JSON schema, or a function that creates one from the models in force. */
type AcceptedBody = Schema | ((call: Pick<Authorized, 'content'>) => Schema);

/** The page of a route, as the start page shows it. */
interface RoutePage {
  readonly name: string;
  readonly about: string;
  /** The address of the page, if the path of the route has parameters. */
  readonly path?: string;
}

interface RouteKey {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS' | 'ALL';
  /** A path such as `/users/:id`. `{/*rest}` matches anything below. */
  readonly path: string;
  /** All rows of a path must have the same settings. */
  readonly settings?: PathSettings;
  /** Returns whether a content type has the path, so that a later route answers. Other paths are reserved, and no content type has them. */
  readonly yields?: (running: RunningService) => boolean;
  /** The description in the OpenAPI document. Rows without one are not listed. */
  readonly operation?: Operation | Describe;
  /** The name of a page that the start page links to, and what it is about. */
  readonly page?: RoutePage;
  /** The JSON schema of the body, if the row checks the body by a schema. */
  readonly accepts?: AcceptedBody;
}

/** A row of the route table. */
export type Route = RouteKey & GuardedRow;
export type OpenRoute = RouteKey & OpenRow;
export type ContextRoute = RouteKey & ContextRow;

/** A path whose rows are found for each request; null if there are none. `params` are not decoded. */
export interface DynamicRoute extends Pick<RouteKey, 'path'> {
  readonly find: (params: readonly string[], running: RunningService) => Rows | null;
}

export type FixedRoute = Route | OpenRoute | ContextRoute;
export type AnyRoute = FixedRoute | DynamicRoute;

/** Returns the method and the path of a row, written as `GET /users`. */
export function at<Method extends RouteKey['method']>(
  key: `${Method} /${string}`,
): { readonly method: Method; readonly path: string } {
  const [method, path] = key.split(' ') as [Method, string]; // the type of `key`
  return { method, path };
}

/** Returns a function that returns rows of an API of a plugin, described by their actions, whose full names begin with `prefix`. */
export const rowsOf =
  <Name extends string>(prefix: `plugin::${string}`, operations: Readonly<Record<Name, Operation | Describe>>) =>
  (key: `${Route['method']} /${string}`, name: Name, handle: Route['handle'], options: Partial<Route> = {}): Route => ({
    ...at(key),
    action: `${prefix}.${name}`,
    operation: operations[name],
    ...options,
    handle,
  });

/** Returns the rows with a prefix before their paths. */
export const withPrefix = <Row extends RouteKey>(prefix: string, routes: readonly Row[]): Row[] =>
  routes.map((route) => ({ ...route, path: `${prefix}${route.path}` }));
