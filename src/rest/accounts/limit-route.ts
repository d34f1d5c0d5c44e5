import { attemptKey, type LimitedRoute } from '../../accounts/limit-attempts.js';
import { rateLimitError } from '../../errors.js';
import { accountsOf } from '../../http/running.js';
import { bodyOf } from '../body-of.js';
import type { PluginRoute, RouteCall } from '../plugin-routes.js';

/** Counts the attempts at a route, after the caller was let in and before anything else (rest.md 11.3). */
export const limited =
  (route: LimitedRoute, handle: PluginRoute['handle']): PluginRoute['handle'] =>
  async (call: RouteCall) => {
    const { limiter } = accountsOf(call.running);
    if (limiter !== null) {
      const { limit, remaining, resetsAt, isOver } = await limiter.count(attemptKey(route, bodyOf(call.ctx), call.ctx.ip));
      call.ctx.set('X-RateLimit-Limit', String(limit));
      call.ctx.set('X-RateLimit-Remaining', String(remaining));
      call.ctx.set('X-RateLimit-Reset', String(resetsAt));
      if (isOver) throw rateLimitError();
    }
    await handle(call);
  };
