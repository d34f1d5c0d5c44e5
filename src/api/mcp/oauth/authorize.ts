import { checkLogIn } from '#accounts/login/session.js';
import { ApiError } from '#base/errors.js';
import { clientOf } from '#base/limits/client-of.js';
import type { Accounts } from '#content/rights/accounts.js';
import { checkRight } from '#http/authorize.js';
import { envelopeError, isBug } from '#http/error-response.js';
import { countAttempt } from '#http/limit-requests.js';
import { bodyOf } from '#http/route-request.js';
import type { Answer, ContextRoute, RouteCall } from '#http/route.js';
import { accountsOf } from '#http/running.js';
import { addressesOf } from './addresses.js';
import { type AuthorizationRequest, readRequest, RedirectedError, requiredText } from './authorization-request.js';
import { findClient, keepClient } from './clients.js';
import { type CurrentUser, findCurrentUser } from './current-user.js';
import { browserOf, type FormState, isForeign, openForm, sealForm } from './form-parts.js';
import { insertGrant } from './grants.js';
import { consentPage, logInPage, refusalPage, returnPage } from './pages.js';
import { withParameters } from './redirects.js';
import { headersOf, OAuthError } from './refusals.js';
import { grantToken } from './tokens.js';

type Context = Parameters<ContextRoute['handleContext']>[0];

/** Answers the request of a client with the page on which the user logs in. */
export const authorize = (ctx: Context, call: RouteCall): Promise<Answer> =>
  orPage(call, async (accounts) => {
    const parameters = new URLSearchParams(ctx.querystring);
    const id = requiredText(parameters, 'client_id');
    const client = await findClient(id, call.content.store.database, {
      sender: clientOf(ctx.ip),
      admit: () => countAttempt(ctx, 'connect', {}, call.running),
      report: (err) => {
        const text = 'OAuth: the document of a client cannot be read';
        call.running.observer.observe({ kind: 'warned', topic: 'access', text, about: { client: id, err } });
      },
    });
    const { resource } = addressesOf(accounts);
    const request = readRequest(parameters, { client, resource, config: accounts.config });
    const browser = browserOf(call.request, accounts);
    const state = { request, user: null };
    return logInPage({ request, browser, sealed: sealForm('log-in', state, browser, accounts) });
  });

/** Answers a log-in with the page on which the user decides; with the form again if it fails. */
export const logIn = (ctx: Context, call: RouteCall): Promise<Answer> =>
  orPage(call, async (accounts) => {
    checkRight(call.caller, 'plugin::users-permissions.auth.callback'); // here, so that its refusal is a page
    const { identifier, password } = bodyOf(call.request);
    const state = stateOf('log-in', call, accounts);
    const { request } = state;
    const browser = browserOf(call.request, accounts);
    try {
      await countAttempt(ctx, 'login', {}, call.running);
      const user = await checkLogIn(accounts, { identifier, password }, call);
      const granted = { request, user: { id: user.id, version: user.tokenVersion } };
      return consentPage({ request, username: user.username, browser, sealed: sealForm('consent', granted, browser, accounts) });
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      const { message, status, headers } = error;
      return logInPage({
        request,
        browser,
        sealed: sealForm('log-in', state, browser, accounts),
        ...(typeof identifier === 'string' && { identifier: identifier.slice(0, 320) }),
        refusal: { message, status, headers },
      });
    }
  });

/** Answers the decision of a user with a redirect to the client: with a code, or with the refusal. */
export const decide = (call: RouteCall): Promise<Answer> =>
  orPage(call, async (accounts) => {
    const body = bodyOf(call.request);
    const { request, user: known } = stateOf('consent', call, accounts);
    const scopes = request.scopes.filter((scope) => body[scope] !== undefined);
    if (body['decision'] !== 'allow' || scopes.length === 0)
      throw new RedirectedError('access_denied', 'The user has not allowed access', request);
    const { database } = call.content.store;
    const { client, resource, redirectUri, challenge } = request;
    const { id: user, tokenVersion: version } = await grantingUser(known, call, accounts);
    const consent = { user, version, client, scopes, resource, redirectUri, challenge };
    const { _id: grant } = await insertGrant(database, consent);
    await keepClient(database, client.id);
    return redirect(request, { code: grantToken('code', { grant, count: 0 }, accounts.tokens) }, accounts);
  });

/** Returns what a form carries. Throws a 403 for a form of another page or browser, and for one that has expired. */
function stateOf(form: 'log-in' | 'consent', { request }: RouteCall, accounts: Accounts): FormState {
  const state = isForeign(request, accounts) ? null : openForm(form, bodyOf(request)['form'], request, accounts);
  if (state !== null) return state;
  throw new OAuthError('access_denied', 'The page has expired, or another page has sent its form', 403);
}

async function grantingUser(known: FormState['user'], call: RouteCall, accounts: Accounts): Promise<CurrentUser> {
  const user = known && (await findCurrentUser({ user: known.id, version: known.version }, call, accounts));
  if (user === null) throw new OAuthError('access_denied', 'The account has changed meanwhile', 403);
  return user;
}

/**
 * Returns what work answers; its errors as a page. Only the decision of a user is redirected to the client: before, anybody could lead
 * users anywhere by the address of this service (RFC 9700, 4.11.2).
 */
async function orPage({ running, caller, request }: RouteCall, work: (accounts: Accounts) => Promise<Answer>): Promise<Answer> {
  const accounts = accountsOf(running);
  try {
    return await work(accounts);
  } catch (error) {
    if (error instanceof RedirectedError) {
      const answer = redirect(error.to, { error: error.code, error_description: error.message }, accounts);
      return error.code === 'access_denied' ? answer : returnPage(error.message, answer.headers.Location);
    }
    if (error instanceof OAuthError) return refusalPage(error.message, error.status, headersOf(error));
    running.explainRefusal(error, caller);
    if (isBug(error)) {
      const { requestId, method, path } = request;
      running.observer.observe({ kind: 'request failed', requestId, method, path, err: error });
    }
    const { message, status } = envelopeError(error).error;
    return refusalPage(message, status, error instanceof ApiError ? error.headers : {});
  }
}

/** Returns the redirect of a browser to a client, with the issuer (RFC 9207). */
function redirect(
  { redirectUri, state }: Pick<AuthorizationRequest, 'redirectUri' | 'state'>,
  parameters: Readonly<Record<string, string>>,
  accounts: Accounts,
) {
  const { issuer } = addressesOf(accounts);
  const headers = {
    Location: withParameters(redirectUri, { ...parameters, state, iss: issuer }),
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
  };
  return { status: 303, headers, body: '' } satisfies Answer;
}
