import { withTokenBudget, type ContentContext, withDatabase } from '#content/content-context.js';
import { forbiddenError, unauthorizedError } from '#base/errors.js';
import type { Answer, RouteCall } from '#http/route.js';
import type { Administrator } from './administrators/administrator.js';
import { mapValues } from '#base/values.js';
import { codeRoute } from './code-route.js';
import { panelOf, type Panel } from './panel.js';
import { checkInput, largestPage } from './panel-query.js';
import { recorded, recordedLater } from './record-request.js';
import { may, type Rights, rightsOf } from './rights/rights.js';
import { servedPermissions } from './rights/served-permissions.js';
import { tellAdministrator } from './tell-administrator.js';

/** A request of the panel to a route that needs no log-in. `content` has full access. */
export interface OpenPanelCall extends Pick<RouteCall, 'request' | 'running' | 'content'> {
  readonly panel: Panel;
}

/** A request of an administrator. `content` has full access; handlers of content narrow it by the rights. */
export interface PanelCall extends OpenPanelCall {
  readonly rights: Rights;
}

/** An administrator who acts on entries, perhaps without a request. */
export type EntryCaller = Pick<PanelCall, 'content' | 'rights'>;

/**
 * A route of the panel. `right` is an action, or one of several actions, without a subject; `logged in` for every administrator;
 * `nobody` for requests without a log-in.
 */
type PanelRoute = { readonly changes?: Unrecorded } & (
  | { readonly right: 'nobody'; readonly handle: Handler<OpenPanelCall> }
  | { readonly right: 'logged in' | PanelAction | readonly PanelAction[]; readonly handle: Handler }
);

/**
 * What requests of other methods than GET change, if the audit log has no record of them: `nothing`; or `entries`, which the log of
 * writes to content has (`admin.audit.days`). All others are recorded.
 */
type Unrecorded = 'nothing' | 'entries';

export type Handler<Call = PanelCall> = (call: Call) => Answer | Promise<Answer>;

export type PanelMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Values by method and path, such as `GET /admin/users`. */
type ByPath<Value> = Readonly<Record<`${PanelMethod} ${string}`, Value>>;

export type PanelRoutes = ByPath<PanelRoute>;

/** Returns the routes of handlers that need the same right. */
export const needing = (right: 'logged in' | PanelAction, handlers: ByPath<Handler>, changes?: Unrecorded): PanelRoutes =>
  mapValues(handlers, (handle) => ({ right, handle, ...(changes !== undefined && { changes }) }));

/** The full name of an action of administrators, such as `admin::users.read`. */
export type PanelAction = `${string}::${string}`;

const notCached = { 'Cache-Control': 'private, no-store' };

/** Returns the call of a request. Creates the default roles if there are none. */
export async function openCall({ request, running, content }: RouteCall): Promise<OpenPanelCall> {
  const panel = panelOf(running);
  await panel.prepare(content);
  return { request, running, content, panel: servedPanel(panel, content, request.requestId) };
}

/** Returns the panel with the permissions that the models in force serve. `comment` is that of commands to the database. */
export function servedPanel(panel: Panel, { bind }: ContentContext, comment?: string): Panel {
  const { administrator, permissions } = panel;
  return {
    ...panel,
    administrator: (id: number) => administrator(id, comment),
    permissions: async () => servedPermissions(await permissions(comment), bind.registry),
  };
}

/** Returns the answer to a request to a route, whose method and path are given too. Throws if the caller may not send it. */
export const answerOf = async (route: PanelRoute, call: RouteCall, place: RoutePlace): Promise<Answer> => ({
  headers: notCached,
  ...(await handle(route, call, place)),
});

interface RoutePlace {
  readonly method: PanelMethod;
  readonly path: string;
}

async function handle(route: PanelRoute, routeCall: RouteCall, place: RoutePlace): Promise<Answer> {
  if (route.right === 'nobody') {
    const open = await openCall(routeCall);
    checkInput(open);
    const work = (): Answer | Promise<Answer> => route.handle(open);
    return isRecorded(route, open) ? recordedLater(open, work) : work();
  }
  const call = await administratorCall(routeCall);
  const { right, handle: answer } = route;
  if (right !== 'logged in' && ![right].flat().some((action) => may(call.rights, action))) throw forbiddenError();
  if (call.content.hooks !== null) tellCode(call, place);
  checkInput(call);
  return isRecorded(route, call) ? recorded(call, call.rights.administrator, () => answer(call)) : answer(call);
}

/** Tells code of a project who sends a request to which route. */
function tellCode(call: PanelCall, { method, path }: RoutePlace): void {
  tellAdministrator(call.request.state, call);
  Object.assign(call.request.state, { route: codeRoute(method, path) });
}

/** Returns whether the audit log has a record of a request. */
const isRecorded = ({ changes }: PanelRoute, { request: { method } }: OpenPanelCall): boolean =>
  changes === undefined && method !== 'GET' && method !== 'HEAD';

/** Returns the call of the administrator who has sent a request. Throws an UnauthorizedError for any other caller. */
export async function administratorCall(routeCall: RouteCall): Promise<PanelCall> {
  const call = await openCall(routeCall);
  const administrator = await identify(call);
  const rights = await rightsOf(administrator, call.panel);
  return { ...call, content: asAdministrator(call, administrator), rights };
}

/** Returns the context of a request with the budget of a known caller, the pages of the panel, and the administrator as its sender. */
function asAdministrator({ content, request }: OpenPanelCall, { id }: Administrator): ContentContext {
  const { client, signal, requestId, trace } = request.sender;
  const sender = { client, signal, requestId, trace, caller: { kind: 'administrator', id } } as const;
  const tokenContext = withTokenBudget(content);
  const settings = { ...tokenContext.bind.settings, maxLimit: largestPage };
  return withDatabase({ ...tokenContext, bind: { ...tokenContext.bind, settings } }, { ...tokenContext.store.database, sender });
}

/** Returns the token that a request of the panel carries; an empty text if there is none. */
export const bearerOf = ({ headers }: OpenPanelCall['request']): string =>
  /^bearer\s+(\S+)$/i.exec(headers.authorization?.trim() ?? '')?.[1] ?? '';

/** Returns the administrator of a token. Throws an UnauthorizedError for any other caller, which makes the panel log out. */
async function identify({ request, panel }: OpenPanelCall): Promise<Administrator> {
  const administrator = await administratorOfToken(bearerOf(request), panel);
  if (administrator === null) throw unauthorizedError();
  return administrator;
}

/** Returns the administrator of a valid token of a kind; null if it is invalid, or the administrator may no longer use it. */
export async function administratorOfToken(
  token: string,
  panel: Panel,
  kind: 'tokens' | 'pageTokens' = 'tokens',
): Promise<Administrator | null> {
  const claims = panel[kind].verify(token);
  if (typeof claims === 'string') return null;
  const administrator = await panel.administrator(claims.id);
  if (administrator === null || !administrator.isActive || administrator.blocked) return null;
  const hasEnded = claims.session !== null && administrator.endedLogIns.includes(claims.session);
  return claims.version === administrator.tokenVersion && !hasEnded ? administrator : null;
}

/** Returns an answer in the form of most routes. */
export const answerData = (data: unknown, status = 200): Answer => ({ status, body: { data } });

/** Returns an answer without an envelope. */
export const answerBody = (body: unknown): Answer => ({ body });
