import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context } from 'koa';
import type { ApiToken } from '../auth/api-token.js';
import type { Caller } from '../auth/caller.js';
import { createRequestContext, type ContentContext } from '../content/content-context.js';
import type { Config } from '../config/config.js';
import { ApiError, forbiddenError, missingActions, refusedToken, type TokenFault, unauthorizedError } from '../errors.js';
import { type ActionName, allows, fullAccess } from '../query/access.js';
import { senderOf } from './route-request.js';
import { memoryOf } from './count-memory.js';
import { isLocal } from './is-local.js';
import { limitGuess } from './limit-requests.js';
import type { Running } from './running.js';

/** The caller of a request, and the context of operations on their behalf. */
export interface Authorized {
  readonly caller: Caller;
  readonly content: ContentContext;
}

/**
 * What a row requires of its caller:
 * - anybody: nothing; the caller is identified all the same
 * - authenticated: a user, or a token that may do everything
 * - admin: an admin token
 * - an action: a role or token that grants it
 */
export type RequiredAction = 'anybody' | 'authenticated' | 'admin' | ActionName;

/** The requirements of a row of the route table. */
export interface RouteRequirement {
  readonly action: RequiredAction;
  /** Actions that the caller must be allowed besides. */
  readonly others?: readonly RequiredAction[];
  /** A token of a user that was good once counts as none: it has expired, was revoked, or its account is blocked. */
  readonly ignoresEnded?: true;
  /** Callers are not identified by the credentials they send, and get full access: the code of the row decides. */
  readonly leavesRightsToCode?: true;
  /** Admin tokens are accepted as well, which otherwise open the admin API only. */
  readonly admitsAdmin?: true;
}

/**
 * Identifies the caller and counts the request. Throws an UnauthorizedError for credentials that are wrong, and for those of an admin
 * that are missing; a RateLimitError for too many requests.
 */
export async function identify(ctx: Context, row: RouteRequirement, running: Running): Promise<Authorized> {
  const caller = await callerOf(ctx, row, running);
  const origin = { caller, sender: senderOf(ctx, caller), reservation: memoryOf(ctx)?.answer ?? null };
  return { caller, content: createRequestContext(running.config, running.source, origin) };
}

function callerOf(ctx: Context, row: RouteRequirement, running: Running): Promise<Caller> {
  if (row.leavesRightsToCode === true) return findNobody(ctx, running);
  return row.action === 'admin' ? findAdmin(ctx, running) : findAnybody(ctx, row, running);
}

const nobody: Caller = { kind: 'public', access: fullAccess, publicRoleIsEmpty: false, ended: null };

async function findNobody(ctx: Context, { limiter }: Running): Promise<Caller> {
  await limiter?.(ctx, nobody);
  return nobody;
}

function findAnybody(ctx: Context, row: RouteRequirement, running: Running): Promise<Caller> {
  const key = row.admitsAdmin === true ? adminKey(ctx) : null;
  return key === null ? findCaller(ctx, row, running) : findAdminOrCaller(ctx, { row, key }, running);
}

/** A row that an admin token opens as well, and a token that may be one. */
interface AdminRequest {
  readonly row: RouteRequirement;
  readonly key: string;
}

/** A token that does not exist counts as an attempt to guess an admin token. */
async function findAdminOrCaller(ctx: Context, { row, key }: AdminRequest, running: Running): Promise<Caller> {
  let refusal: unknown = null;
  const found = await limitGuess(
    ctx,
    running.adminGuesses,
    async () =>
      (await readAdmin(key, running)) ??
      findCaller(ctx, row, running).catch((error: unknown) => {
        if (!(error instanceof ApiError) || error.status !== 401) throw error;
        refusal = error;
        return null;
      }),
  );
  if (found === null) throw refusal;
  return found;
}

/** A request with credentials that are refused counts as one without. */
async function findCaller(ctx: Context, row: RouteRequirement, { authenticator, limiter, config }: Running): Promise<Caller> {
  const { authorization } = ctx.req.headers;
  // Answers for one caller must not be kept by shared caches.
  if (authorization !== undefined) ctx.set('Cache-Control', 'private, no-store');
  const authenticated = authenticator.authenticate({
    authorization,
    isLocal: () => isLocal(ctx.req),
    ignores: (fault) => ignoresFault(fault, { ...row, actions: row.action === 'anybody' ? [] : [row.action] }, config),
  });
  if (limiter === null) return authenticated;
  const caller = await authenticated.catch(async (error: unknown) => {
    if (error instanceof ApiError && error.status === 401) await limiter(ctx, nobody);
    throw error;
  });
  await limiter(ctx, caller);
  return caller;
}

/**
 * The requirement that decides about a token that is no longer valid: the needed actions, and the mark of rows that begin or end
 * sessions.
 */
interface EndRequirement extends Pick<RouteRequirement, 'ignoresEnded'> {
  readonly actions: readonly string[];
}

/**
 * Returns whether a token of a user that is refused for this reason counts as none: where sessions begin and end, unless it was never
 * good; and, by the setting, one that has expired for content and files, unlike users.
 */
export function ignoresFault(fault: TokenFault, { actions, ignoresEnded }: EndRequirement, { plugins }: Config): boolean {
  if (ignoresEnded === true) return fault !== 'token_invalid';
  const { ignoreExpiredOnPublic } = plugins['users-permissions'].config.jwt;
  return fault === 'token_expired' && ignoreExpiredOnPublic && actions.every(isOfContent);
}

const isOfContent = (action: string): boolean => action.includes('::') && !action.startsWith('plugin::users-permissions.');

/**
 * Throws a ForbiddenError if the caller lacks the right, or an UnauthorizedError, which asks for credentials, if the public has
 * no rights at all.
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

/** Wrong tokens are counted; after too many of them right ones are refused as well. */
async function findAdmin(ctx: Context, running: Running): Promise<Caller> {
  ctx.set('Cache-Control', 'private, no-store');
  const key = adminKey(ctx);
  if (key === null) throw unauthorizedError();
  const admin = await limitGuess(ctx, running.adminGuesses, () => readAdmin(key, running));
  if (admin === null) throw refusedToken('token_invalid');
  return admin;
}

const adminKey = (ctx: Context): string | null => /^bearer\s+(\S+)$/i.exec(ctx.get('authorization').trim())?.[1] ?? null;

/** Returns the holder of the configured admin token or of a stored one; null if the key is neither. Throws if it has run out. */
async function readAdmin(key: string, { secrets, authenticator }: Running): Promise<Caller | null> {
  if (secrets.adminToken !== '' && isEqual(key, secrets.adminToken)) return tokenCaller(configuredToken);
  const token = await authenticator.findToken(key);
  if (token?.type !== 'admin') return null;
  if (token.expiresAt !== null && token.expiresAt.getTime() <= Date.now())
    throw unauthorizedError('Token expired', 'token_expired');
  return tokenCaller(token);
}

const tokenCaller = (token: ApiToken): Caller => ({ kind: 'token', access: fullAccess, token });

/** The admin token of the configuration, which is not stored; no stored token has its id. */
export const configuredToken: ApiToken = {
  id: 0,
  name: 'ADMIN_TOKEN',
  description: null,
  type: 'admin',
  permissions: [],
  expiresAt: null,
  lastUsedAt: null,
  createdAt: new Date(0),
  access: fullAccess,
};

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
const isEqual = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));
