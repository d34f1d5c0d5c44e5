import { ApiError, refusedToken, UnauthorizedError } from '#base/errors.js';
import { readBearer } from '#content/rights/authenticate.js';
import type { Caller } from '#content/rights/caller.js';
import { createRequestContext } from '#content/create-context.js';
import { type identifyAgain, nobody } from '#http/authorize.js';
import { RouteRequest } from '#http/route-request.js';
import type { Step } from '#http/route.js';
import { accountsOf, type RunningService } from '#http/running.js';
import { commented } from '#store/send/database.js';
import { addressesOf } from './addresses.js';
import { findGrant } from './grants.js';
import { narrowed, readScopes, type Scoped } from './scopes.js';
import { isAccessToken, readAccessToken } from './tokens.js';

/** Finds the caller of a request. */
export type FindAgent = ReturnType<NonNullable<Step['finds']>>;

type Context = Parameters<FindAgent>[0];

/** What identifies the sender of a message. */
interface Message {
  readonly authorization: string | undefined;
  readonly isLocal: () => boolean;
  readonly requestId: string;
}

/** Finds the caller of a message by its access token, and counts the message; null if it has none. Throws as `grantCaller`. */
export async function findGrantCaller(ctx: Context, running: RunningService): Promise<Caller | null> {
  const request = new RouteRequest(ctx, {});
  const { requestId } = request;
  const { authorization } = ctx.req.headers;
  if (!hasAccessToken(authorization)) return null;
  ctx.set('Cache-Control', 'private, no-store');
  const { limiter } = running;
  const message = { authorization, isLocal: () => request.isLocal, requestId };
  const caller = await grantCaller(message, running).catch(async (error: unknown) => {
    await limiter?.(ctx, nobody);
    throw error;
  });
  await limiter?.(ctx, caller);
  return caller;
}

const hasAccessToken = (authorization: string | undefined): boolean => isAccessToken(readBearer(authorization) ?? '');

/**
 * Returns the user of an access token with the rights that its scopes leave. Throws an UnauthorizedError for a token that is not valid,
 * and if its grant has ended: grants are read for each message, so that no instance accepts the token of an ended one.
 */
async function grantCaller({ authorization, isLocal, requestId }: Message, running: RunningService): Promise<Caller & Scoped> {
  const accounts = accountsOf(running);
  const claims = readAccessToken(readBearer(authorization) ?? '', addressesOf(accounts), accounts.tokens);
  if (typeof claims === 'string') throw refusedToken(claims);
  const { store, models } = running.backend;
  const grant = await findGrant(commented(store.database, requestId), claims.grant);
  if (grant === null) throw refusedToken('token_revoked');
  const caller = await accounts.authenticator.callerOf(
    { id: grant.user, version: grant.version, issuedAt: 0 },
    { isLocal, ignores: () => false, requestId },
  );
  const scopes = new Set(readScopes(claims.scope).filter((scope) => grant.scopes.includes(scope)));
  const access = narrowed(caller.access, scopes, models.snapshot.registry);
  return { ...caller, access, scopes, client: claims.client };
}

/** Identifies the caller of a stream again by its access token; null if it has none. Throws as `grantCaller`. */
export async function identifyGrant(
  { request, sender }: Parameters<typeof identifyAgain>[0],
  running: RunningService,
): Promise<Awaited<ReturnType<typeof identifyAgain>> | null> {
  const { authorization } = request;
  if (!hasAccessToken(authorization)) return null;
  const message = { authorization, isLocal: () => request.isLocal, requestId: sender.requestId ?? '' };
  const caller = await grantCaller(message, running);
  const { config, source } = running;
  return { caller, content: createRequestContext(config, source, { caller, sender, reservation: null, reads: null }) };
}

/** Finds a caller by `find`. Its refusal of missing or wrong credentials says where clients find out how to get others (RFC 9728, 5.1). */
export async function withMetadata(running: RunningService, find: () => Promise<Caller>): Promise<Caller> {
  try {
    return await find();
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    const { message, details, headers, missing } = error;
    const { metadata } = addressesOf(accountsOf(running));
    const challenge = headers['WWW-Authenticate'] ?? 'Bearer';
    const added = `${challenge}${challenge.includes('=') ? ',' : ''} resource_metadata="${metadata}"`;
    throw new UnauthorizedError(message, details ?? {}, { headers: { ...headers, 'WWW-Authenticate': added }, missing });
  }
}
