import type { Context } from 'koa';
import { readUser, type Caller } from '#content/rights/caller.js';
import { countAttempt } from '#http/limit-requests.js';
import { refusePreconditions } from '#http/preconditions.js';
import { bodyOf } from '#http/route-request.js';
import type { AnyRoute, Route, RouteCall } from '#http/route.js';
import { conditional } from '#http/steps/conditional.js';
import { limitIn } from '#http/steps/counted.js';
import { isRead, noteAnswer } from '#http/tag-answers.js';
import { isRecord } from '#base/values.js';
import type { Controller } from './core-controller.js';
import type { CodeContext, CodeRequests } from './code-requests.js';
import { compilePath } from './route-paths.js';
import { handlerParts } from './strapi-route.js';

/**
 * Returns the built-in routes of plugins, such as those of `plugin::users-permissions.user.me`. Their paths include the API
 * prefix.
 */
export const builtinRoutes = (table: readonly AnyRoute[]): readonly Route[] =>
  table.flatMap((route) => ('handle' in route && route.action !== null && isOfPlugin(route.action) ? [route as Route] : [])); // the filter excludes null

const isOfPlugin = (action: string): boolean => action.startsWith('plugin::');

/** Returns the controllers of plugins by uid. Their actions answer like the built-in routes. */
export function builtinControllers(routes: readonly Route[], requests: CodeRequests): ReadonlyMap<string, Controller> {
  const controllers = new Map<string, Controller>();
  for (const { action } of routes) {
    const { uid, action: name } = handlerParts(action);
    const controller = controllers.get(uid) ?? {};
    controllers.set(uid, controller);
    const own = routes.filter((route) => route.action === action);
    controller[name] ??= (ctx: CodeContext) => runBuiltin(own, ctx, requests);
  }
  return controllers;
}

/**
 * Runs a built-in action. If several routes have the action, runs the one that matches the request, or the first if none does.
 */
async function runBuiltin(routes: readonly Route[], ctx: CodeContext, requests: CodeRequests): Promise<void> {
  const call = requests.changedCallOf(ctx);
  const asked = routes.find(
    ({ method, path }) => method === ctx['method'] && compilePath(path).match(String(ctx['path'])) !== null,
  );
  const route = asked ?? routes[0];
  if (call === null || route === undefined) throw new Error('actions of plugins can only answer requests to routes');
  const response = ctx['response'] as Context['response']; // set by Koa, also in copies of the context
  const { steps = [] } = route;
  if (!steps.includes(conditional) && !isRead(response.ctx)) refusePreconditions(call.request.headers);
  const limited = limitIn(steps);
  if (limited?.counts(call.caller) === true && !requests.wasCounted(ctx, limited.limit))
    await countAttempt(response.ctx, limited.limit, bodyOf(call.request), call.running);
  const { status = 200, headers = {}, body, version } = await route.handle({ ...call, caller: await callerOf(ctx, call) });
  if (steps.some(({ stage }) => stage === 'tag')) noteAnswer(response.ctx, version);
  response.set(headers);
  response.status = status;
  if (body !== undefined) response.body = isJsonText(body, headers) ? (JSON.parse(body) as unknown) : body;
}

/** Returns the caller as code has left it in `ctx.state.user`, with the rights of the request. */
async function callerOf(ctx: CodeContext, { caller, content }: RouteCall): Promise<Caller> {
  const { user: left } = Object(ctx['state']) as { readonly user?: unknown };
  const id = isRecord(left) ? Number(left['id']) : 0;
  if (id === (caller.kind === 'user' ? caller.user.id : 0)) return caller;
  const { access } = caller;
  const user = await readUser(content.store.database, id);
  if (user === null) return { kind: 'public', access, publicRoleIsEmpty: false, ended: null };
  return { kind: 'user', access, user, role: null, publicActions: new Set() };
}

/** Returns whether a body is JSON that was written already. Code expects the value. */
const isJsonText = (body: unknown, headers: Readonly<Record<string, string>>): body is string =>
  typeof body === 'string' && Object.values(headers).some((value) => value.startsWith('application/json'));
