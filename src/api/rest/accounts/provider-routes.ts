import { loginProvider } from '#accounts/login/login-provider.js';
import { makeExchangeCode, providerUser, tokenUser } from '#accounts/login/provider-user.js';
import { openSession } from '#accounts/login/session.js';
import type { StoredUser } from '#accounts/user-store.js';
import { ApiError, validationError } from '#base/errors.js';
import { bodyOf, cookieOf, parameterOf } from '#http/route-request.js';
import type { Answer, Route, RouteCall } from '#http/route.js';
import { accountsOf } from '#http/running.js';
import { limited } from '#http/steps/counted.js';
import { readParameters } from '#http/query-string.js';
import { authRow, redirect, sessionAnswer } from './auth-routes.js';

const steps = [limited('connect')];
const connecting = { action: 'plugin::users-permissions.auth.connect' } as const;

/**
 * The routes of logins through other services. `/connect/:provider` redirects the browser to the provider.
 * `/connect/:provider/callback` redirects the browser to the app with an `access_token`, or answers with a session if no address
 * of the app is configured. `/auth/:provider/callback` exchanges that `access_token`, or tokens that an app has received from the
 * provider itself, for a session.
 */
export const providerRoutes: readonly Route[] = [
  authRow('GET /connect/:provider', 'connect', connect, { steps }),
  authRow('GET /connect/:provider/callback', 'connectCallback', takeBack, { ...connecting, steps }),
  authRow('POST /connect/:provider/callback', 'connectForm', takeForm, connecting),
  authRow('GET /auth/:provider/callback', 'exchangeCode', exchange, {
    action: 'plugin::users-permissions.auth.callback',
    steps,
  }),
];

const cookie = 'mangrove.login';

const nameOf = ({ request }: RouteCall): string => request.params['provider'] ?? '';

const callbackOf = (call: RouteCall): string => {
  const { config, address } = accountsOf(call.running);
  return `${address.url}${config.api.rest.prefix}/connect/${encodeURIComponent(nameOf(call))}/callback`;
};

async function connect(call: RouteCall): Promise<Answer> {
  const provider = await loginProvider(accountsOf(call.running), nameOf(call));
  const callback = callbackOf(call);
  const { address, browser } = await provider.begin(callback, call.content);
  const { pathname, protocol } = new URL(callback);
  const secure = protocol === 'https:' ? '; Secure' : '';
  return goTo(address, { 'Set-Cookie': `${cookie}=${browser}; Path=${pathname}; Max-Age=600; HttpOnly; SameSite=Lax${secure}` });
}

async function takeBack(call: RouteCall): Promise<Answer> {
  const { request, content } = call;
  const accounts = accountsOf(call.running);
  const provider = await loginProvider(accounts, nameOf(call));
  const address = new URL(`${callbackOf(call)}?${request.querystring}`);
  const finish = async (): Promise<StoredUser> => {
    const identity = await provider.finish({ address, browser: cookieOf(request, cookie) ?? '' }, content);
    return providerUser(accounts, identity, content);
  };
  if (provider.redirect === null) return sessionAnswer(call, await openSession(accounts, await finish(), call));
  const target = new URL(provider.redirect);
  const given = parameterOf(request, 'error') ?? null;
  try {
    target.searchParams.set('access_token', await makeExchangeCode(await finish(), nameOf(call), content));
  } catch (error) {
    if (given === null || !(error instanceof ApiError) || error.status >= 500) throw error;
    target.searchParams.set('error', codeOf(given));
    target.searchParams.set('error_description', error.message);
  }
  return goTo(target.href);
}

/** Returns the code by which a provider says why it does not confirm a login, such as `access_denied` if the user has cancelled it. */
const codeOf = (given: unknown): string => (typeof given === 'string' && /^[\w.-]{1,60}$/.test(given) ? given : 'login_failed');

/** The parameters of a returning browser. */
const returned = ['code', 'state', 'error', 'error_description', 'iss'] as const;

/** Maximum length of a parameter of a returning browser, so that the address fits into the header of a request. */
const maxReturned = 4_096;

/**
 * Sends a browser that returns by a form, as from Apple, to the same address with a query. Browsers send no cookie with the form of
 * another site.
 */
async function takeForm(call: RouteCall): Promise<Answer> {
  await loginProvider(accountsOf(call.running), nameOf(call));
  const [body, target] = [bodyOf(call.request), new URL(callbackOf(call))];
  for (const name of returned) {
    const value = body[name];
    if (typeof value === 'string' && value.length > maxReturned) throw validationError(`${name} is too long`);
    if (typeof value === 'string') target.searchParams.set(name, value);
  }
  return { ...goTo(target.href), status: 303 };
}

async function exchange(call: RouteCall): Promise<Answer> {
  const { request, content, running } = call;
  const accounts = accountsOf(running);
  const query = readParameters(request.query, accounts.config.api.limits);
  const tokens = { accessToken: tokenOf(call, 'access_token'), idToken: tokenOf(call, 'id_token'), query };
  const user = await tokenUser(accounts, nameOf(call), { tokens, content });
  return sessionAnswer(call, await openSession(accounts, user, call));
}

/** Returns a token in the query; null if there is none. Throws a ValidationError if there are several. */
function tokenOf({ request }: RouteCall, name: string): string | null {
  const value = parameterOf(request, name) ?? '';
  if (typeof value !== 'string') throw validationError(`${name} must occur once`);
  return value === '' ? null : value;
}

/** Returns a redirect. Must be called only with addresses from the configuration and of the provider. */
function goTo(address: string, headers: Answer['headers'] = {}): Answer {
  const answer = redirect(address, 'Login');
  return { ...answer, headers: { ...answer.headers, ...headers, 'Cache-Control': 'private, no-store' } };
}
