import type { RunningService } from '#http/running.js';
import type { RouteCall } from '#http/route.js';
import { codeRoute } from '../code-route.js';
import { panelOf } from '../panel.js';
import { administratorCall, administratorOfToken, type PanelAction, type PanelCall } from '../panel-route.js';
import { may } from '../rights/rights.js';
import { tellAdministrator } from '../tell-administrator.js';

/** Returns whether a text is the valid token of an administrator. */
export const isAdministrator = async (key: string, running: RunningService): Promise<boolean> =>
  (await administratorOfToken(key, panelOf(running))) !== null;

/** Returns the call of the administrator who has sent a request. Code of a project is told who it is. */
export async function callOf(routeCall: RouteCall): Promise<PanelCall> {
  const call = await administratorCall(routeCall);
  const { request, content } = call;
  if (content.hooks === null) return call;
  tellAdministrator(request.state, call);
  Object.assign(request.state, { route: codeRoute(request.method, request.path) });
  return call;
}

/** Returns whether an administrator may do an action, perhaps only under conditions. */
export const mayDo = ({ rights }: PanelCall, action: PanelAction): boolean => may(rights, action);
