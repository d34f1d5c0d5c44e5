import type { Context } from 'koa';
import { readBearer } from '#content/rights/authenticate.js';
import { findCaller, findNobody, finderOf } from '../authorize.js';
import { readAdmin } from '../find-admin.js';
import type { Step } from '../route.js';

const findingBy = (finds: NonNullable<Step['finds']>): Step => ({ name: 'caller', stage: 'caller', finds });

/** Ignores a user token that was valid once if it has expired or was revoked, or its account is blocked. */
export const ignoringEnded = findingBy(() => findCaller({ actions: [], ignoresEnded: true }));

/** Ignores credentials. The handler checks rights itself. */
export const unidentified = findingBy(() => findNobody);

const admittingIf = (isAdmitted: (ctx: Context) => boolean): Step =>
  findingBy((action) => {
    const find = finderOf(action);
    return (ctx, running) => {
      const key = isAdmitted(ctx) ? readBearer(ctx.req.headers.authorization) : null;
      if (key === null) return find(ctx, running);
      return readAdmin(ctx, key, running).then((admin) => admin ?? find(ctx, running));
    };
  });

/** Accepts admin tokens too. Otherwise they are valid only for the admin API. */
export const admitting = admittingIf(() => true);

/** Accepts admin tokens of requests with `explain`. */
export const admittingToExplain = admittingIf(({ querystring }) => querystring.includes('explain='));
