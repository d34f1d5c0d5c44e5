import type { Accounts } from '../../accounts/accounts.js';
import { loginProvider } from '../../accounts/login-provider.js';
import { exchangeCode, makeExchangeCode, providerUser } from '../../accounts/provider-user.js';
import { openSession } from '../../accounts/session.js';
import { validationError } from '../../errors.js';
import { accountsOf } from '../../http/running.js';
import type { PluginRoute, RouteCall } from '../plugin-routes.js';
import { sendSession } from './auth-routes.js';
import { limited } from './limit-route.js';

const action = (name: string): string => `plugin::users-permissions.auth.${name}`;

/**
 * Logins by way of other services (rest.md 11.2): `/connect/:provider` sends the browser there, its callback takes it back and
 * sends it on with an `access_token`, for which `/auth/:provider/callback` gives the session.
 */
export const providerRoutes: readonly PluginRoute[] = [
  {
    method: 'GET',
    path: '/connect/:provider',
    demand: action('connect'),
    handle: limited('connect', (call) => connect(accountsOf(call.running), call)),
  },
  {
    method: 'GET',
    path: '/connect/:provider/callback',
    demand: action('connect'),
    handle: limited('connect', (call) => takeBack(accountsOf(call.running), call)),
  },
  {
    method: 'GET',
    path: '/auth/:provider/callback',
    demand: action('callback'),
    handle: limited('connect', (call) => exchange(accountsOf(call.running), call)),
  },
];

const cookie = 'mangrove.login';

const nameOf = ({ params }: RouteCall): string => params['provider'] ?? '';

const callbackOf = ({ config, address }: Accounts, call: RouteCall): string =>
  `${address.url}${config.api.rest.prefix}/connect/${encodeURIComponent(nameOf(call))}/callback`;

async function connect(accounts: Accounts, call: RouteCall): Promise<void> {
  const provider = loginProvider(accounts, nameOf(call));
  const callback = callbackOf(accounts, call);
  const { address, browser } = await provider.begin(callback, call.content);
  const { pathname, protocol } = new URL(callback);
  const secure = protocol === 'https:' ? '; Secure' : '';
  call.ctx.set('Set-Cookie', `${cookie}=${browser}; Path=${pathname}; Max-Age=600; HttpOnly; SameSite=Lax${secure}`);
  goTo(call, address);
}

async function takeBack(accounts: Accounts, call: RouteCall): Promise<void> {
  const { ctx, content } = call;
  const provider = loginProvider(accounts, nameOf(call));
  const address = new URL(`${callbackOf(accounts, call)}?${ctx.querystring}`);
  const identity = await provider.finish({ address, browser: ctx.cookies.get(cookie) ?? '' }, content);
  const user = await providerUser(accounts, identity, content);
  if (provider.redirect === null) return sendSession(call, await openSession(accounts, user, content));
  const target = new URL(provider.redirect);
  target.searchParams.set('access_token', await makeExchangeCode(user, provider.name, content));
  goTo(call, target.href);
}

async function exchange(accounts: Accounts, call: RouteCall): Promise<void> {
  const { name } = loginProvider(accounts, nameOf(call));
  const code = call.ctx.query['access_token'];
  if (typeof code !== 'string') throw validationError('Invalid callback URL provided');
  await sendSession(call, await exchangeCode(accounts, name, code, call.content));
}

/** Only to addresses of the configuration and of the provider. */
function goTo({ ctx }: RouteCall, address: string): void {
  ctx.status = 302;
  ctx.set('Location', address);
  ctx.set('Cache-Control', 'private, no-store');
  ctx.type = 'html';
  ctx.body = '<!doctype html><title>Login</title>';
}
