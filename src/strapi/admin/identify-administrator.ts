import type { Context } from 'koa';
import type { Answer, RouteCall } from '#http/route.js';
import { isRead } from '#http/tag-answers.js';
import type { RunningService } from '#http/running.js';
import type { ContentContext } from '#content/content-context.js';
import { administratorCall } from '#admin/panel-route.js';
import { recorded } from '#admin/record-request.js';
import { panelOf } from '#admin/panel.js';
import type { Ability } from '#admin/rights/ability.js';
import { rightsOf } from '#admin/rights/rights.js';
import { abilityOf, tellAdministrator } from '#admin/tell-administrator.js';
import { isRecord } from '#base/values.js';

/**
 * Answers a request to a route of type admin. Tells code of the administrator who has sent it, and runs the code with them as the
 * sender. The audit log has a record of each request that may change something. Throws an UnauthorizedError for any other caller.
 */
export async function runAsAdministrator(ctx: Context, call: RouteCall, run: (call: RouteCall) => Promise<void>): Promise<void> {
  ctx.set('Cache-Control', 'private, no-store');
  const identified = await administratorCall(call);
  tellAdministrator(ctx.state, identified);
  const work = async (): Promise<Answer> => {
    await run({ ...call, content: identified.content });
    return { status: ctx.status };
  };
  await (isRead(ctx) ? work() : recorded(identified, identified.rights.administrator, work));
}

/** Returns what an administrator may do, by an object with their id. Throws an Error if there is none. */
export async function generateUserAbility(user: unknown, running: RunningService, content: ContentContext): Promise<Ability> {
  const panel = panelOf(running);
  const administrator = isRecord(user) ? await panel.administrator(Number(user['id'])) : null;
  if (administrator === null) throw new Error('there is no such administrator');
  return abilityOf({ rights: await rightsOf(administrator, panel), panel, content });
}
