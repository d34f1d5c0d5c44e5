import type { Context, Middleware } from 'koa';
import type { Admitted, Demand, Gate } from '../http/create-gate.js';
import { routeTable, type RouteKey, type RouteParams } from '../http/route-table.js';

/** What a handler is given. */
export interface RouteCall extends Admitted {
  readonly ctx: Context;
  readonly params: RouteParams;
}

/** A route that belongs to no content type. */
export interface PluginRoute extends RouteKey {
  readonly demand: Demand;
  /** Sets status and body of the answer. */
  readonly handle: (call: RouteCall) => Promise<void> | void;
}

/** Serves routes under the prefix of the API, each to those who may. */
export function pluginRoutes(prefix: string, routes: readonly PluginRoute[], gate: Gate): Middleware {
  const find = routeTable(prefix, routes);
  return async (ctx, next) => {
    const found = find(ctx);
    if (found === null) return next();
    if (found === 'answered') return;
    const { route, params } = found;
    const admitted = await gate.admit(ctx, route.demand);
    await route.handle({ ...admitted, ctx, params });
  };
}
