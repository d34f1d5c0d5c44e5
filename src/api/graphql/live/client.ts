import type { Context } from 'koa';
import { badRequestError } from '#base/errors.js';
import type { EndSignal } from '#base/limits/ending.js';
import type { Sender } from '#base/limits/queue.js';
import { identifyAgain } from '#http/authorize.js';
import type { RouteCall } from '#http/route.js';
import { clientKey } from '#http/route-request.js';
import type { ActionName } from '#model/query/access.js';
import type { ReadLog } from '#store/send/database.js';

/** Who has sent an operation that lasts, and on which connection. */
export interface LiveClient {
  readonly ctx: Context;
  /** A request with the credentials in force. */
  readonly call: RouteCall;
  readonly sender: Sender;
  /** Aborts when the connection ends. */
  readonly ends: EndSignal;
  /** Ends the connection. An ApiError below 500 says that the caller may use it no longer. */
  readonly fail: (error: unknown) => void;
}

/** Returns the sender of a connection. It does not keep the request. */
export function senderOf(ctx: Context, { caller, request: { requestId } }: RouteCall, signal: EndSignal): Sender {
  const id = caller.kind === 'user' ? caller.user.id : caller.kind === 'token' ? caller.token.id : null;
  return { client: clientKey(ctx, caller), caller: { kind: caller.kind, id }, requestId, signal };
}

/** Identifies the caller again, with the rights and models in force. Throws an UnauthorizedError if the credentials are no longer valid. */
export function identifyClient(
  { call: { request, running }, sender }: LiveClient,
  about: { readonly action?: ActionName | null; readonly reads?: ReadLog } = {},
): ReturnType<typeof identifyAgain> {
  const { action = null, reads } = about;
  const identifying = { authorization: request.headers.authorization, isLocal: request.isLocal };
  return identifyAgain({ request: identifying, action, sender, ...(reads && { reads }) }, running);
}

/** Why preview tokens are refused. Their holders are not identified again with each change, as callers are. */
export const keyRefusal = 'The header X-Preview-Token is not for subscriptions and live queries';

/** Throws a BadRequestError if a request has a preview token. */
export function refuseEntryKey({ caller }: RouteCall): void {
  if (caller.access.entry !== undefined) throw badRequestError(keyRefusal);
}

/** What distinguishes callers with the same operation. */
export const callerKey = ({ call: { request } }: LiveClient): string =>
  `${String(request.isLocal)} ${request.headers.authorization ?? ''}`;
