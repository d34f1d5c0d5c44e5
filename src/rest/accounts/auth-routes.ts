import { changePassword } from '../../accounts/change-password.js';
import { confirmEmail, resendConfirmation } from '../../accounts/confirm-email.js';
import { logIn } from '../../accounts/log-in.js';
import { logOut, refresh } from '../../accounts/refresh.js';
import { register } from '../../accounts/register.js';
import { forgotPassword, resetPassword } from '../../accounts/reset-password.js';
import type { Accounts, AccountCall, Body } from '../../accounts/accounts.js';
import type { LimitedRoute } from '../../accounts/limit-attempts.js';
import type { Session } from '../../accounts/session.js';
import { findWritten } from '../../accounts/users.js';
import { accountsOf } from '../../http/running.js';
import { emptyQuery } from '../../query/ast.js';
import { bodyOf } from '../body-of.js';
import { flatEntry } from '../envelope.js';
import { parseQueryString } from '../parse-query-string.js';
import type { PluginRoute, RouteCall } from '../plugin-routes.js';
import { limited } from './limit-route.js';

type Operation = (accounts: Accounts, body: Body, call: AccountCall) => Promise<Session>;

const action = (name: string): string => `plugin::users-permissions.auth.${name}`;

const session = (path: string, name: string, route: LimitedRoute, run: Operation): PluginRoute => ({
  method: 'POST',
  path,
  demand: action(name),
  handle: limited(route, async (call) => {
    await sendSession(call, await run(accountsOf(call.running), bodyOf(call.ctx), call));
  }),
});

/** Login, registration, passwords and confirmation of addresses (rest.md 11.2). */
export const authRoutes: readonly PluginRoute[] = [
  session('/auth/local', 'callback', 'login', logIn),
  session('/auth/local/register', 'register', 'register', register),
  session('/auth/reset-password', 'resetPassword', 'reset-password', resetPassword),
  session('/auth/change-password', 'changePassword', 'change-password', changePassword),
  {
    method: 'POST',
    path: '/auth/forgot-password',
    demand: action('forgotPassword'),
    handle: limited('forgot-password', async (call) => {
      call.ctx.body = await forgotPassword(accountsOf(call.running), bodyOf(call.ctx), call);
    }),
  },
  {
    method: 'GET',
    path: '/auth/email-confirmation',
    demand: action('emailConfirmation'),
    handle: (call) => confirm(accountsOf(call.running), call),
  },
  {
    method: 'POST',
    path: '/auth/send-email-confirmation',
    demand: action('sendEmailConfirmation'),
    handle: async (call) => {
      call.ctx.body = await resendConfirmation(accountsOf(call.running), bodyOf(call.ctx), call);
    },
  },
];

/** Refresh tokens, where they are switched on: whoever holds one may use it, whatever the roles say. */
export const refreshRoutes: readonly PluginRoute[] = [
  {
    method: 'POST',
    path: '/auth/refresh',
    demand: 'nothing',
    handle: limited('refresh', async (call) => {
      await sendSession(call, await refresh(accountsOf(call.running), bodyOf(call.ctx), call));
    }),
  },
  {
    method: 'POST',
    path: '/auth/logout',
    demand: 'nothing',
    handle: async (call) => {
      await logOut(bodyOf(call.ctx), call);
      call.ctx.body = { ok: true };
    },
  },
];

/** `{ jwt, user }`; no `jwt` where the address must be confirmed first. No cache may keep it. */
export async function sendSession({ ctx, content }: RouteCall, { userId, jwt, refreshToken }: Session): Promise<void> {
  const user = await findWritten(userId, emptyQuery, content);
  ctx.set('Cache-Control', 'private, no-store');
  ctx.body = {
    ...(jwt !== null && { jwt }),
    ...(refreshToken !== null && { refreshToken }),
    user: user === null ? null : flatEntry(user),
  };
}

/** The browser of a user comes here by a link, and goes on to the address that the settings name. */
async function confirm(accounts: Accounts, call: RouteCall): Promise<void> {
  const query = parseQueryString(call.ctx.querystring, accounts.config.api.limits);
  await confirmEmail(accounts, query, call);
  const { advanced } = await accounts.authenticator.settings();
  call.ctx.status = 302;
  call.ctx.set('Location', advanced.email_confirmation_redirection ?? '/');
  call.ctx.type = 'html';
  call.ctx.body = '<!doctype html><title>Confirmed</title>';
}
