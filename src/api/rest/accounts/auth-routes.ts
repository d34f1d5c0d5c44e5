import { changePassword } from '#accounts/login/change-password.js';
import { confirmEmail, resendConfirmation } from '#accounts/login/confirm-email.js';
import { contextOfUser, logIn, logOut, refresh, type Session } from '#accounts/login/session.js';
import { register } from '#accounts/login/register.js';
import { forgotPassword, resetPassword } from '#accounts/login/reset-password.js';
import type { Accounts, AccountCall, Body } from '#accounts/accounts.js';
import { roleUid } from '#accounts/user-store.js';
import { findWrittenUser } from '#accounts/users/users.js';
import type { ContentContext } from '#content/content-context.js';
import { notFoundError } from '#base/errors.js';
import { countAttempt } from '#http/limit-requests.js';
import { bodyOf } from '#http/route-request.js';
import { type Answer, at, type ContextRoute, type Route, type RouteCall, rowsOf } from '#http/route.js';
import { accountsOf } from '#http/running.js';
import { ignoringEnded } from '#http/steps/callers.js';
import { limited } from '#http/steps/counted.js';
import { maySee } from '#model/query/access.js';
import { emptyQuery, fieldOf, type Query } from '#model/query/ast.js';
import { flatEntry } from '../envelope.js';
import { readParameters, refuseOthers } from '#http/query-string.js';
import { authOperations } from './operations.js';

/** Returns a row of logins. */
export const authRow = rowsOf('plugin::users-permissions.auth', authOperations);

/** Of requests that begin or end a session. Apps send their current token with these too, even if it has expired. */
const steps = [ignoringEnded];

interface SessionRoute extends Pick<Route, 'steps'> {
  readonly open: (accounts: Accounts, body: Body, call: AccountCall) => Promise<Session>;
  /** Returns the query that selects the attributes and relations of the answered user; the empty query by default. */
  readonly userQuery?: UserQuery;
}

/** Returns a query by the contexts of the user and of the caller. */
type UserQuery = (ofUser: ContentContext, ofCaller: ContentContext) => Query;

/** Returns a route that begins a session and answers with its tokens and its user. `name` is that of the required action. */
const sessionRoute = (
  path: `/${string}`,
  name: keyof typeof authOperations,
  { open, userQuery, ...route }: SessionRoute,
): Route =>
  authRow(
    `POST ${path}`,
    name,
    async (call) => sessionAnswer(call, await open(accountsOf(call.running), bodyOf(call.request), call), userQuery),
    route,
  );

/** The routes of login, registration, passwords and e-mail confirmation. */
export const authRoutes: readonly Route[] = [
  sessionRoute('/auth/local', 'callback', { steps: [limited('login'), ...steps], open: logIn }),
  sessionRoute('/auth/local/register', 'register', {
    steps: [limited('register'), ...steps],
    open: register,
    userQuery: registeredQuery,
  }),
  sessionRoute('/auth/reset-password', 'resetPassword', { steps: [limited('reset-password'), ...steps], open: resetPassword }),
  sessionRoute('/auth/change-password', 'changePassword', { steps: [limited('change-password')], open: changePassword }),
  authRow(
    'POST /auth/forgot-password',
    'forgotPassword',
    async (call) => ({ body: await forgotPassword(accountsOf(call.running), bodyOf(call.request), call) }),
    { steps: [limited('forgot-password'), ...steps] },
  ),
  authRow('GET /auth/email-confirmation', 'emailConfirmation', confirm),
  authRow(
    'POST /auth/send-email-confirmation',
    'sendEmailConfirmation',
    async (call) => ({ body: await resendConfirmation(accountsOf(call.running), bodyOf(call.request), call) }),
    { steps: [limited('send-email-confirmation')] },
  ),
];

/** The routes of refresh tokens. They require no right, because the token is the credential. */
export const refreshRoutes: readonly (Route | ContextRoute)[] = [
  {
    ...at('POST /auth/refresh'),
    action: 'anybody',
    operation: authOperations.refresh,
    steps,
    handleContext: async (ctx, call) => {
      refuseOthers(call.request.query, []);
      const countUse = (family: string): Promise<void> => countAttempt(ctx, 'refresh', { family }, call.running);
      return sessionAnswer(call, await refresh(accountsOf(call.running), bodyOf(call.request), { ...call, countUse }));
    },
  },
  {
    ...at('POST /auth/logout'),
    action: 'anybody',
    operation: authOperations.logOut,
    steps,
    handle: async (call) => {
      refuseOthers(call.request.query, []);
      await logOut(accountsOf(call.running), bodyOf(call.request), call);
      return { body: { ok: true } };
    },
  },
];

/** The routes that answer 404 on these paths if refresh tokens are disabled. */
export const refreshOffRoutes: readonly Route[] = refreshRoutes.map(({ path }) => ({
  method: 'ALL',
  path,
  action: 'anybody',
  steps,
  handle: () => {
    throw notFoundError('Refresh tokens are disabled: set users-permissions.config.refreshTokens.enabled in config/plugins');
  },
}));

/** Returns the query for the user of a registration. It includes the role if both the caller and the user may read roles. */
function registeredQuery(...contexts: Parameters<UserQuery>): Query {
  return contexts.every(({ bind }) => maySee(bind.access, roleUid)) ? withRole : emptyQuery;
}

/** The query of a user with the role. */
export const withRole: Query = { ...emptyQuery, populate: { all: false, fields: [fieldOf('role')] } };

/** Returns the answer `{ jwt, user }`, without `jwt` if the e-mail address must be confirmed first. It must not be cached. */
export async function sessionAnswer(
  { content: ofCaller, running }: RouteCall,
  session: Session,
  query: UserQuery = () => emptyQuery,
): Promise<Answer> {
  const content = await contextOfUser(accountsOf(running), session, ofCaller);
  const user = await findWrittenUser(session.user.id, query(content, ofCaller), content);
  const { jwt, refreshToken } = session;
  const body = {
    ...(jwt !== null && { jwt }),
    ...(refreshToken !== null && { refreshToken }),
    user: user === null ? null : flatEntry(user, content),
  };
  return { headers: { 'Cache-Control': 'private, no-store' }, body };
}

/** Confirms an e-mail address. Confirmation e-mails link here. The answer redirects the browser to the configured address. */
async function confirm(call: RouteCall): Promise<Answer> {
  const accounts = accountsOf(call.running);
  await confirmEmail(accounts, readParameters(call.request.query, accounts.config.api.limits), call);
  const { advanced } = await accounts.authenticator.settings();
  return redirect(advanced.email_confirmation_redirection ?? '/', 'Confirmed');
}

/** Returns an answer that redirects a browser. */
export const redirect = (address: string, title: string): Answer => ({
  status: 302,
  headers: { Location: address, 'Content-Type': 'text/html; charset=utf-8' },
  body: `<!doctype html><title>${title}</title>`,
});
