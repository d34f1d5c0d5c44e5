import { readBearer } from '#content/rights/authenticate.js';
import { forbiddenError, refusedToken, unauthorizedError } from '#base/errors.js';
import { withoutGrowth } from '#base/young-space.js';
import { findNobody } from '#http/authorize.js';
import { readAdmin } from '#http/find-admin.js';
import type { RouteCall, Step } from '#http/route.js';
import type { PanelAction, PanelCall } from '../panel-route.js';

/** What an administrator needs for a route: an action; `logged in` if the handler checks rights itself. */
export type AdministratorRight = 'logged in' | PanelAction;

const importPanel = () => import('./panel-caller.js');

let panel: ReturnType<typeof importPanel> | null = null;

/** Loads what finds administrators with the first of their requests, as `panel-paths.ts` does. */
const loadPanel = () => (panel ??= withoutGrowth(importPanel));

/** Admits the tokens of administrators of the panel besides admin tokens. Other callers get the same answer as on all other paths. */
export const admittingAdministrators: Step = {
  name: 'caller',
  stage: 'caller',
  finds: () => async (ctx, running) => {
    ctx.set('Cache-Control', 'private, no-store');
    const key = readBearer(ctx.req.headers.authorization);
    if (key === null) throw unauthorizedError();
    const admin = await readAdmin(ctx, key, running);
    if (admin !== null) return admin;
    if (!(await (await loadPanel()).isAdministrator(key, running))) throw refusedToken('token_invalid');
    return findNobody(ctx, running);
  },
};

/**
 * Returns the call of the administrator who has sent a request; null if it has an admin token, whose holder may do everything. Throws a
 * ForbiddenError if the administrator lacks the right.
 */
export async function administratorOf(call: RouteCall, right: AdministratorRight): Promise<PanelCall | null> {
  if (call.caller.kind === 'token') return null;
  const { callOf, mayDo } = await loadPanel();
  const administrator = await callOf(call);
  if (right !== 'logged in' && !mayDo(administrator, right)) throw forbiddenError();
  return administrator;
}
