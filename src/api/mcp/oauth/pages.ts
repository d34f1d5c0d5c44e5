import { html, type Html, pageAnswer } from '#http/page-answer.js';
import type { Answer } from '#http/route.js';
import type { AuthorizationRequest } from './authorization-request.js';
import type { Browser } from './form-parts.js';
import { isLoopback } from './redirects.js';
import { scopeTexts } from './scopes.js';

/** Browsers send the origin of forms only if their page sends a referrer. */
const ofPages = { 'Referrer-Policy': 'same-origin', 'X-Frame-Options': 'DENY', 'X-Content-Type-Options': 'nosniff' };

interface Shown {
  readonly title: string;
  readonly main: Html;
  readonly status?: number;
  readonly browser?: Browser;
  readonly headers?: Readonly<Record<string, string>>;
  readonly hasForms?: true | 'redirected';
}

function show({ title, main, status = 200, browser, headers, hasForms }: Shown): Answer {
  const body = html`<header><h1>${title}</h1></header>
    <main>${main}</main>`;
  const page = pageAnswer({ title, body, ...(hasForms && { hasForms }) });
  const newCookie = browser?.newCookie ?? null;
  const added = { ...headers, ...ofPages, ...(newCookie !== null && { 'Set-Cookie': newCookie }) };
  return { ...page, status, headers: { ...page.headers, ...added } };
}

/** Returns the page that says why there is nothing to allow. */
export const refusalPage = (message: string, status: number, headers: Readonly<Record<string, string>> = {}): Answer =>
  show({
    title: 'Access is not possible',
    status,
    headers,
    main: html`<p class="warnings" role="alert">${message}</p>
      <p>Go back to the application, and begin again.</p>`,
  });

/** Returns the page that says what is wrong with a request, with a link to the client, which hears of it there. */
export const returnPage = (message: string, link: string): Answer =>
  show({
    title: 'Access is not possible',
    status: 400,
    main: html`<p class="warnings" role="alert">${message}</p>
      <p><a href="${link}" rel="noreferrer">Go on to ${new URL(link).host}</a>, if this is where you come from.</p>`,
  });

/** Returns the words for a client: its name, and where it can be found. */
const clientWords = ({ client: { name, host } }: AuthorizationRequest): Html =>
  host === null
    ? html`<strong>${name}</strong> (a name that the application has chosen itself)`
    : html`<strong>${name}</strong> of <strong>${host}</strong>`;

/** What a log-in page shows. */
interface LogIn {
  readonly request: AuthorizationRequest;
  readonly sealed: string;
  readonly browser: Browser;
  /** What the user has typed before. */
  readonly identifier?: string;
  /** Why a log-in failed. */
  readonly refusal?: { readonly message: string; readonly status: number; readonly headers: Readonly<Record<string, string>> };
}

export const logInPage = ({ request, sealed, browser, identifier = '', refusal }: LogIn): Answer =>
  show({
    title: 'Log in',
    hasForms: true,
    browser,
    ...(refusal && { status: refusal.status, headers: refusal.headers }),
    main: html`<p>${clientWords(request)} asks for access to content of this service in your name.</p>
      ${refusal === undefined ? null : html`<p class="warnings" role="alert">${refusal.message}</p>`}
      <form method="post" action="log-in">
        <input type="hidden" name="form" value="${sealed}" />
        <label>
          Name or e-mail address
          <input name="identifier" autocomplete="username" required value="${identifier}" />
        </label>
        <label>Password <input name="password" type="password" autocomplete="current-password" required /></label>
        <button>Log in</button>
      </form>
      <p class="soft">Accounts without a password, of those who log in by another service, cannot log in here.</p>`,
  });

interface ConsentPage {
  readonly request: AuthorizationRequest;
  readonly username: string;
  readonly sealed: string;
  readonly browser: Browser;
}

/** Returns the page on which a user decides. Its form leads to the client, so that the page does not limit where its forms go. */
export const consentPage = ({ request, username, sealed, browser }: ConsentPage): Answer =>
  show({
    title: 'Allow access?',
    hasForms: 'redirected',
    browser,
    main: html`<p>
        ${clientWords(request)} asks for access to content of this service in the name of <strong>${username}</strong>. It can do
        what your account may do, within what you allow here:
      </p>
      <form method="post" action="consent">
        <input type="hidden" name="form" value="${sealed}" />
        ${request.scopes.map(
          (scope) =>
            html`<p>
              <label class="choice"><input type="checkbox" name="${scope}" checked /> ${scopeTexts[scope]}</label>
            </p>`,
        )}
        <p>${destination(request)} Allow only what you have begun yourself.</p>
        <p>
          <button name="decision" value="allow">Allow</button>
          <button name="decision" value="deny">Deny</button>
        </p>
      </form>`,
  });

function destination({ redirectUri }: AuthorizationRequest): Html {
  const url = new URL(redirectUri);
  return isLoopback(url)
    ? html`The answer goes to a program on <strong>your own machine</strong> (${url.host}).`
    : html`The answer goes to <strong>${url.host}</strong>.`;
}
