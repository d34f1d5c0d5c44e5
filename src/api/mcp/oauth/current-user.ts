import { ApiError } from '#base/errors.js';
import type { Accounts } from '#content/rights/accounts.js';
import type { Caller } from '#content/rights/caller.js';
import type { RouteCall } from '#http/route.js';
import type { Grant } from './grants.js';

/** A caller who is a user. */
export type CurrentUser = Extract<Caller, { readonly kind: 'user' }>['user'];

/**
 * Returns the user of a grant; null if the user has been deleted or blocked, has a new password, or may not send requests for another
 * reason.
 */
export async function findCurrentUser(
  { user: id, version }: Pick<Grant, 'user' | 'version'>,
  { request }: RouteCall,
  { authenticator }: Accounts,
): Promise<CurrentUser | null> {
  const claims = { id, version, issuedAt: 0 };
  const circumstances = { isLocal: () => request.isLocal, ignores: () => false, requestId: request.requestId };
  try {
    const caller = await authenticator.callerOf(claims, circumstances);
    return caller.kind === 'user' ? caller.user : null;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}
