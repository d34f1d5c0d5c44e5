import type { LimitedRoute } from '#base/limits/attempts.js';
import type { Caller } from '#content/rights/caller.js';
import { countAttempt } from '../limit-requests.js';
import { bodyOf } from '../route-request.js';
import type { Run, Step } from '../route.js';

interface LimitedStep extends Step {
  readonly limit: LimitedRoute;
  /** Returns whether attempts of a caller are counted. */
  readonly counts: (caller: Caller) => boolean;
}

const counting = (name: string, count: (...request: Parameters<Run>) => Promise<void> | undefined): Step => ({
  name,
  stage: 'count',
  around: (rest) => async (call, ctx) => {
    await count(call, ctx);
    return rest(call, ctx);
  },
});

/** Counts a request as several. `countOf` returns as how many, by the body. */
export const counted = (countOf: (body: unknown) => number): Step =>
  counting('count', ({ running, caller, request }, ctx) => running.limiter?.(ctx, caller, countOf(request.body) - 1));

/** Counts attempts under a name before they are handled, by default of all callers. Those beyond the limit are a 429. */
export const limited = (limit: LimitedRoute, counts: LimitedStep['counts'] = () => true): LimitedStep => ({
  ...counting('limit', ({ running, caller, request }, ctx) =>
    counts(caller) ? countAttempt(ctx, limit, bodyOf(request), running) : undefined,
  ),
  ...{ limit, counts },
});

/** Returns the step that counts attempts; undefined if there is none. */
export const limitIn = (steps: readonly Step[] = []): LimitedStep | undefined =>
  steps.find((step): step is LimitedStep => 'limit' in step);
