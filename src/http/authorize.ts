import type { Context } from 'koa';
import type { Caller } from '#content/rights/caller.js';
import type { ContentContext } from '#content/content-context.js';
import { createRequestContext } from '#content/create-context.js';
import type { Config } from '#settings/config.js';
import { ApiError, forbiddenError, missingActions, refusedToken, type TokenFault, unauthorizedError } from '#base/errors.js';
import { type Access, type ActionName, allows, fullAccess } from '#model/query/access.js';
import type { Sender } from '#base/limits/queue.js';
import { findAdmin } from './find-admin.js';
import { requestIdOf, senderOf } from './route-request.js';
import { memoryOf } from './count-memory.js';
import { isLocal } from './is-local.js';
import type { ReadLog } from '#store/send/database.js';
import type { RunningService } from './running.js';

/** The caller of a request, and the context of operations for that caller. */
export interface Authorized {
  readonly caller: Caller;
  readonly content: ContentContext;
}

/**
 * The requirement of a row:
 * - anybody: nothing, but the caller is identified
 * - authenticated: a user, or a token with all rights
 * - admin: an admin token
 * - an action: a role or token that grants it
 */
export type RequiredAction = 'anybody' | 'authenticated' | 'admin' | ActionName;

/** The requirements of a row of the route table. */
export interface RouteRequirement {
  readonly action: RequiredAction;
  /** Further required actions. */
  readonly others?: readonly RequiredAction[];
  /** The action that code of a project is told; the required one by default. */
  readonly toldAction?: RequiredAction;
}

/**
 * Finds the caller of a request, and counts the request. Throws an UnauthorizedError for wrong credentials, or for missing ones if an
 * admin token is required. Throws a RateLimitError for too many requests.
 */
export type FindCaller = (ctx: Context, running: RunningService) => Promise<Caller>;

/** Identifies the caller by `find`. `reads` notes what the request reads; null if that is not needed. Throws like `find`. */
export async function identify(
  ctx: Context,
  find: FindCaller,
  running: RunningService,
  reads: ReadLog | null,
): Promise<Authorized> {
  const caller = await find(ctx, running);
  const origin = { caller, sender: senderOf(ctx, caller), reservation: memoryOf(ctx)?.answer ?? null, reads };
  return { caller, content: createRequestContext(running.config, running.source, origin) };
}

/** What says who sends a request. */
export interface Identifying {
  readonly authorization: string | undefined;
  readonly isLocal: boolean;
}

/** The caller of a long answer. */
interface IdentifiedRequest {
  readonly request: Identifying;
  /** The action that it needs, by which an expired token may be ignored; null if none is. */
  readonly action: ActionName | null;
  readonly sender: Sender;
  /** Notes what is read for it; absent if that is not needed. */
  readonly reads?: ReadLog;
}

/**
 * Identifies the caller of a long answer again, with the rights and models that are in force now. Counts no request. Throws like
 * `identify`.
 */
export async function identifyAgain(
  { request, action, sender, reads }: IdentifiedRequest,
  running: RunningService,
): Promise<Authorized> {
  const { authenticator, config, source } = running;
  const caller = await authenticator.authenticate({
    authorization: request.authorization,
    isLocal: () => request.isLocal,
    ignores: (fault) => action !== null && ignoresFault(fault, { actions: [action] }, config),
    requestId: sender.requestId ?? '',
  });
  return { caller, content: createRequestContext(config, source, { caller, sender, reservation: null, reads: reads ?? null }) };
}

/** Returns how the callers of rows that require an action are usually found. */
export const finderOf = (action: RequiredAction): FindCaller =>
  action === 'admin' ? findAdmin : findCaller({ actions: action === 'anybody' ? [] : [action] });

const noGrants: Access = { ...fullAccess, grants: { kind: 'actions', actions: new Set() } };

/** The caller of rows that leave rights to their code. Sees no related entries, as in Strapi v4, because none of them is granted. */
export const nobody: Caller = { kind: 'public', access: noGrants, publicRoleIsEmpty: false, ended: null };

/** Ignores credentials. */
export const findNobody: FindCaller = async (ctx, { limiter }) => {
  await limiter?.(ctx, nobody);
  return nobody;
};

/** Returns how users and API tokens are found. Counts a request with refused credentials like one without credentials. */
export const findCaller =
  (requirement: EndRequirement): FindCaller =>
  async (ctx, { authenticator, limiter, config }) => {
    const { authorization } = ctx.req.headers;
    // shared caches must not store answers for one caller
    if (authorization !== undefined) ctx.set('Cache-Control', 'private, no-store');
    const authenticated = authenticator.authenticate({
      authorization,
      isLocal: () => isLocal(ctx.req),
      ignores: (fault) => ignoresFault(fault, requirement, config),
      requestId: requestIdOf(ctx),
    });
    if (limiter === null) return authenticated;
    const caller = await authenticated.catch(async (error: unknown) => {
      if (error instanceof ApiError && error.status === 401) await limiter(ctx, nobody);
      throw error;
    });
    await limiter(ctx, caller);
    return caller;
  };

/** What decides how to treat an invalid token: the required actions, and whether the request begins or ends a session. */
interface EndRequirement {
  readonly actions: readonly string[];
  /** Whether a user token that was valid once is ignored if it has expired or was revoked, or its account is blocked. */
  readonly ignoresEnded?: true;
}

/**
 * Returns whether a user token with this fault is ignored. Rows that begin or end sessions ignore tokens that were valid once. If
 * `ignoreExpiredOnPublic` is set, rows of content and files ignore expired ones.
 */
export function ignoresFault(fault: TokenFault, { actions, ignoresEnded }: EndRequirement, { plugins }: Config): boolean {
  if (ignoresEnded === true) return fault !== 'token_invalid';
  const { ignoreExpiredOnPublic } = plugins['users-permissions'].config.jwt;
  return fault === 'token_expired' && ignoreExpiredOnPublic && actions.every(isOfContent);
}

const isOfContent = (action: string): boolean => action.includes('::') && !action.startsWith('plugin::users-permissions.');

/**
 * Throws a ForbiddenError if the caller lacks the right. Throws an UnauthorizedError, which asks for credentials, if the caller
 * has none and the public has no rights at all.
 */
export function checkRight(caller: Caller, action: RequiredAction): void {
  if (action === 'anybody' || action === 'admin') return;
  const { access } = caller;
  if (action === 'authenticated') {
    if (caller.kind === 'user' || access.grants.kind === 'all') return;
    throw caller.kind === 'public' ? unauthorizedError() : forbiddenError();
  }
  if (allows(access, action)) return;
  if (caller.kind === 'public' && caller.ended !== null) throw refusedToken(caller.ended);
  const asksForCredentials = caller.kind === 'public' && caller.publicRoleIsEmpty;
  throw asksForCredentials ? unauthorizedError(undefined, null, [action]) : missingActions([action]);
}
