import { beginOpenId, finishOpenId } from '#accounts/login/open-id.js';
import { ApiError, notFoundError } from '#base/errors.js';
import { tooMany } from '#base/limits/attempts.js';
import { clientOf } from '#base/limits/client-of.js';
import { exceeding } from '#base/limits/exceeded.js';
import type { Values } from '#base/values.js';
import { parameterOf } from '#http/route-request.js';
import type { Answer, RouteCall } from '#http/route.js';
import { rememberClient } from '../administrators/session.js';
import { recordChange } from '../audit-log.js';
import { answerData, openCall, type OpenPanelCall } from '../panel-route.js';
import { type SignedOnAdministrator, signedOnAdministrator } from './administrator.js';
import { forgetFlow, keepFlow, readFlow } from './flow-cookie.js';
import { isComplete, signedOnOf } from './identity.js';
import { failurePage, logInPage } from './pages.js';
import { isSignOnOnly, type SignOnProvider, signOnProviders } from './settings.js';

/** Answers which providers the page of the log-in offers, and whether it offers passwords too. */
export function listProviders({ running: { config } }: RouteCall): Answer {
  const providers = signOnProviders(config).map(({ name, displayName }) => ({ name, displayName, path: `/admin/sso/${name}` }));
  return answerData({ providers, passwords: !isSignOnOnly(config) });
}

/** Sends a browser to a provider. */
export async function beginSignOn(call: RouteCall): Promise<Answer> {
  const provider = providerOf(call);
  const callback = callbackOf(call, provider);
  try {
    const { address, flow } = await beginOpenId(provider, callback);
    const headers = { Location: address, 'Set-Cookie': keepFlow(flow, callback), 'Cache-Control': 'private, no-store' };
    return { status: 302, headers };
  } catch (error) {
    return fail(error, call, callback);
  }
}

/** Answers a browser that returns from a provider with a page that logs in to the panel, or says why not. */
export async function endSignOn(call: RouteCall): Promise<Answer> {
  const provider = providerOf(call);
  const callback = callbackOf(call, provider);
  try {
    const open = await openCall(call);
    await countSignOn(open);
    const flow = readFlow(call.request, parameterOf(call.request, 'state'));
    const returned = {
      address: new URL(`${callback}?${call.request.querystring}`),
      flow,
      isComplete: (claims: Values) => isComplete(provider, claims),
    };
    const signedOn = signedOnOf(provider, await finishOpenId(provider, returned, call.content.store.database));
    const found = await signedOnAdministrator({ signedOn, links: provider.link === true }, open.content);
    await record(found, open);
    await rememberClient(found.administrator, open);
    return logInPage(open.panel.tokens.sign(found.administrator), panelOf(call), forgetFlow(callback));
  } catch (error) {
    return fail(error, call, callback);
  }
}

function providerOf({ request, running }: RouteCall): SignOnProvider {
  const found = signOnProviders(running.config).find(({ name }) => name === request.params['name']);
  if (found === undefined) throw notFoundError('There is no such provider');
  return found;
}

/** Returns the base address of the panel, which the configuration says in production. */
const baseOf = ({ running, request }: RouteCall): string => running.accounts?.address.adminUrl ?? request.address;

const callbackOf = (call: RouteCall, { name }: SignOnProvider): string => `${baseOf(call)}/admin/sso/${name}/callback`;

const panelOf = (call: RouteCall): string => new URL(`${baseOf(call)}${call.running.config.admin.url}`).pathname;

/** Returns the page with an error. Errors of the provider are reported, because only the operator can do something about them. */
function fail(error: unknown, call: RouteCall, callback: string): Answer {
  if (!(error instanceof ApiError)) throw error;
  const { observer } = call.running;
  if (error.status >= 500)
    observer.observe({ kind: 'warned', topic: 'login provider', text: error.message, about: error.details ?? {} });
  return failurePage(error, panelOf(call), forgetFlow(callback));
}

/** Counts a sign-on of a client. Throws a RateLimitError for too many. */
async function countSignOn({ request, panel }: OpenPanelCall): Promise<void> {
  if (panel.logins === null) return;
  const attempt = await panel.logins.client.count(`*:admin-sso:${clientOf(request.ip)}`, 1, request.requestId);
  if (attempt.isOver) throw exceeding('admin.rateLimit', tooMany(attempt));
}

/** Writes to the audit log what a sign-on has changed. */
async function record({ administrator, changed }: SignedOnAdministrator, { request, content }: OpenPanelCall): Promise<void> {
  if (changed === null) return;
  const { database } = content.store;
  const { id, email, roles } = administrator;
  const actor = { kind: 'administrator', tokenId: null, administratorId: id, who: email } as const;
  const what = `${request.method} ${request.path}`;
  const body = { [changed]: email, roles: roles.map(({ code }) => code) };
  const finish = await recordChange(database, { ...actor, at: new Date(), ip: request.ip, what, body });
  await finish({ status: 200, changed: true }, database);
}
