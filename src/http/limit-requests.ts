import type { Context } from 'koa';
import { collections } from '#model/schema/collections.js';
import type { Caller } from '#content/rights/caller.js';
import { exceeding, refusedBy } from '#base/limits/exceeded.js';
import { attemptLimiter } from '#store/stores/attempt-limiter.js';
import { type Attempt, attemptHeaders } from '#base/limits/attempts.js';
import type { AttemptLimits, GuessLimit, LimitedRoute } from '#base/limits/attempts.js';
import type { Config } from '#settings/config.js';
import { rateLimitError } from '#base/errors.js';
import type { Sender } from '#base/limits/queue.js';
import type { Database } from '#store/send/database.js';
import type { Values } from '#base/values.js';
import { clientKey, requestIdOf } from './route-request.js';

export interface RequestLimiter {
  /**
   * Counts a request of a caller, or `requests` more for its parts. Throws a RateLimitError for too many, and a ValidationError for more
   * parts than any interval allows.
   */
  (ctx: Context, caller: Caller, requests?: number): Promise<void>;
  /** Counts what a long answer reads later as a request of its sender. */
  readonly countAgain: (sender: Sender) => Promise<Attempt>;
}

/**
 * Returns the general limit (`api.ratelimit`) per user, per token, and per address without credentials; null if it is disabled.
 */
export function requestLimiter({ api: { ratelimit } }: Config, database: Database): RequestLimiter | null {
  const { enabled, interval, identity, address } = ratelimit;
  if (!enabled) return null;
  const ofIdentities = attemptLimiter(database, { collection: collections.requests, max: identity, interval });
  const ofAddresses = attemptLimiter(database, { collection: collections.requests, max: address, interval });
  const limiterOf = (kind: string) => (kind === 'public' ? ofAddresses : ofIdentities);
  const count = async (ctx: Context, caller: Caller, requests?: number): Promise<void> => {
    if (requests === 0) return;
    if (requests !== undefined) refuseAlways(requests + 1, caller.kind === 'public' ? 'address' : 'identity', ratelimit);
    const attempt = await limiterOf(caller.kind).count(clientKey(ctx, caller), requests, requestIdOf(ctx));
    tellAttempt(ctx, attempt, 'api.ratelimit');
  };
  const countAgain = ({ client, caller, requestId }: Sender): Promise<Attempt> =>
    limiterOf(caller?.kind ?? 'public').count(client, 1, requestId);
  return Object.assign(count, { countAgain });
}

/** Throws a ValidationError for a request that counts as more than any interval allows: waiting would not help its client. */
function refuseAlways(count: number, name: 'identity' | 'address', { [name]: maximum }: Config['api']['ratelimit']): void {
  const setting = `api.ratelimit.${name}`;
  if (count <= maximum) return;
  throw refusedBy(
    setting,
    `The request counts as ${String(count)}, one for each write, and at most ${String(maximum)} are allowed (${setting})`,
    { setting, maximum },
  );
}

/** Counts an attempt, and sets headers with the remaining number. Throws a RateLimitError for too many. */
export async function countAttempt(
  ctx: Context,
  route: LimitedRoute,
  body: Values,
  { attempts }: { readonly attempts: AttemptLimits | null },
): Promise<void> {
  if (attempts === null) return;
  const attempt = await attempts.count(route, body, ctx.ip, requestIdOf(ctx));
  tellAttempt(ctx, attempt, 'plugins.users-permissions.config.ratelimit');
}

/** Counts a wrong guess of a secret. Throws a RateLimitError if the client has made too many. */
export async function countGuess(ctx: Context, limit: GuessLimit): Promise<void> {
  tellAttempt(ctx, await limit(ctx.ip, requestIdOf(ctx)), 'admin.ratelimit');
}

function tellAttempt(ctx: Context, attempt: Attempt, setting: string): void {
  ctx.set(attemptHeaders(attempt));
  if (attempt.isOver) throw exceeding(setting, rateLimitError());
}
