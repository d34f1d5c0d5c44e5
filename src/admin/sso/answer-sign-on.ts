import { beginOpenId, finishOpenId } from '#accounts/login/open-id.js';
import { ApiError, forbiddenError, notFoundError } from '#base/errors.js';
import { tooManyAttempts } from '#base/limits/attempts.js';
import { clientOf } from '#base/limits/client-of.js';
import { exceeding } from '#base/limits/exceeded.js';
import type { Values } from '#base/values.js';
import { parameterOf } from '#http/route-request.js';
import type { Answer, RouteCall } from '#http/route.js';
import type { Administrator } from '../administrators/administrator.js';
import { beginLogIn } from '../administrators/log-ins.js';
import { rememberClient } from '../administrators/session.js';
import { recordChange } from '../audit-log.js';
import { answerData, openCall, type OpenPanelCall } from '../panel-route.js';
import { type SignedOnAdministrator, signedOnAdministrator } from './administrator.js';
import { forgetFlow, keepFlow, readFlow } from './flow-cookie.js';
import { isComplete, type SignedOn, signedOnOf } from './identity.js';
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
    await countSignOn('begin', await openCall(call));
    const { address, flow } = await beginOpenId(provider, callback);
    const headers = { Location: address, 'Set-Cookie': keepFlow(flow, callback), 'Cache-Control': 'private, no-store' };
    return { status: 302, headers };
  } catch (error) {
    return fail(error, call, null);
  }
}

/** Answers a browser that returns from a provider with a page that logs in to the panel, or says why not. */
export async function endSignOn(call: RouteCall): Promise<Answer> {
  const provider = providerOf(call);
  const callback = callbackOf(call, provider);
  let isBegun = false;
  try {
    const open = await openCall(call);
    await countSignOn('end', open);
    const flow = readFlow(call.request, parameterOf(call.request, 'state'));
    isBegun = true;
    const returned = {
      address: new URL(`${callback}?${call.request.querystring}`),
      flow,
      isComplete: (claims: Values) => isComplete(provider, claims),
    };
    const signedOn = signedOnOf(provider, await finishOpenId(provider, returned, call.content.store.database));
    const administrator = await comeIn(provider, signedOn, open);
    return logInPage(beginLogIn(open.panel.tokens, administrator), panelOf(call), forgetFlow(callback));
  } catch (error) {
    return fail(error, call, isBegun ? forgetFlow(callback) : null);
  }
}

/** Returns the administrator of an account. Throws a ForbiddenError for one without a role, whose administrator has none any more. */
async function comeIn(provider: SignOnProvider, signedOn: SignedOn, open: OpenPanelCall): Promise<Administrator> {
  const { administrator, changed } = await signedOnAdministrator({ signedOn, links: provider.link === true }, open.content);
  if (administrator !== null && changed !== null) await record(administrator, changed, open);
  if (administrator === null || administrator.roles.length === 0)
    throw forbiddenError(`Your account at ${provider.displayName} gives no role here`);
  await rememberClient(administrator, open);
  return administrator;
}

function providerOf({ request, running }: RouteCall): SignOnProvider {
  const provider = signOnProviders(running.config).find(({ name }) => name === request.params['name']);
  if (provider === undefined) throw notFoundError('There is no such provider');
  return provider;
}

/** Returns the base address of the panel, which the configuration says in production. */
const baseOf = ({ running, request }: RouteCall): string =>
  running.accounts?.address.adminUrl ?? running.config.server.url ?? request.address;

const callbackOf = (call: RouteCall, { name }: SignOnProvider): string => `${baseOf(call)}/admin/sso/${name}/callback`;

const panelOf = (call: RouteCall): string => new URL(`${baseOf(call)}${call.running.config.admin.url}`).pathname;

/**
 * Returns the page with an error. `cookie` removes a sign-on that was begun; null if there is none. Errors of the provider are reported,
 * because only the operator can do something about them.
 */
function fail(error: unknown, call: RouteCall, cookie: string | null): Answer {
  if (!(error instanceof ApiError)) throw error;
  const { observer } = call.running;
  if (error.status >= 500)
    observer.observe({ kind: 'warned', topic: 'login provider', text: error.message, about: error.details ?? {} });
  return failurePage(error, panelOf(call), cookie);
}

/** Counts a step of a client. Throws a RateLimitError for too many. */
async function countSignOn(step: 'begin' | 'end', { request, panel }: OpenPanelCall): Promise<void> {
  if (panel.logins === null) return;
  const attempt = await panel.logins.client.count(`*:admin-sso-${step}:${clientOf(request.ip)}`, 1, request.requestId);
  if (attempt.isOver) throw exceeding('admin.rateLimit', tooManyAttempts(attempt));
}

/** Writes to the audit log what a sign-on has changed. */
async function record(
  { id, email, roles }: Administrator,
  changed: NonNullable<SignedOnAdministrator['changed']>,
  { request, content }: OpenPanelCall,
): Promise<void> {
  const { database } = content.store;
  const actor = { kind: 'administrator', tokenId: null, administratorId: id, who: email } as const;
  const what = `${request.method} ${request.path}`;
  const body = { [changed]: email, roles: roles.map(({ code }) => code) };
  const finish = await recordChange(database, { ...actor, at: new Date(), ip: request.ip, what, body });
  await finish({ status: 200, changed: true }, database);
}
