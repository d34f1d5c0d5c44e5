import type { Context } from 'koa';
import { collections } from '#model/schema/collections.js';
import type { Caller } from '#content/rights/caller.js';
import { exceeding } from '#base/limits/exceeded.js';
import { attemptLimiter } from '#store/stores/attempt-limiter.js';
import { type Attempt, attemptHeaders } from '#base/limits/attempts.js';
import type { AttemptLimits, GuessLimit, LimitedRoute } from '#base/limits/attempts.js';
import type { Config } from '#settings/config.js';
import { rateLimitError } from '#base/errors.js';
import type { Sender } from '#base/limits/queue.js';
import type { Database } from '#store/send/database.js';
import type { Values } from '#base/values.js';
import { clientKey, requestIdOf } from './route-request.js';

/** Counts a request of a caller, or several. Throws a RateLimitError for too many. */
export interface RequestLimiter {
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
  const count = async (ctx: Context, caller: Caller, requests = 1): Promise<void> => {
    if (requests === 0) return;
    const attempt = await limiterOf(caller.kind).count(clientKey(ctx, caller), requests, requestIdOf(ctx));
    tellAttempt(ctx, attempt, 'api.ratelimit');
  };
  const countAgain = ({ client, caller, requestId }: Sender): Promise<Attempt> =>
    limiterOf(caller?.kind ?? 'public').count(client, 1, requestId);
  return Object.assign(count, { countAgain });
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
