import { ApiError, forbiddenError, validationError } from '#base/errors.js';
import { pageAnswer, html } from '#http/page-answer.js';
import { bodyOf, cookieOf } from '#http/route-request.js';
import type { Answer } from '#http/route.js';
import { commandLine } from '#base/command-line.js';
import type { Administrator } from '../administrators/administrator.js';
import { hasAdministrator } from '../administrators/first-administrator.js';
import { beginLogIn, endLogIn } from '../administrators/log-ins.js';
import { checkLogIn } from '../administrators/session.js';
import { pageLifetime } from '../panel.js';
import { administratorOfToken, type OpenPanelCall } from '../panel-route.js';

const cookie = 'mangrove.status';

/** Returns the administrator whose cookie a request carries; null if there is none, or it is no longer valid. */
export async function administratorOfPage({ request, panel }: OpenPanelCall): Promise<Administrator | null> {
  const token = cookieOf(request, cookie);
  return token === undefined ? null : administratorOfToken(token, panel, 'pageTokens');
}

/** Throws a ForbiddenError for a request of a page of another site. */
export function checkOrigin(call: OpenPanelCall): void {
  if (call.request.headers.origin !== undefined) originOf(call);
}

/** Returns the address of the page that sent a form. Throws a ForbiddenError unless it is a page of the service. */
function originOf({ request, running: { config } }: OpenPanelCall): URL {
  const { origin = '' } = request.headers;
  const own = [request.address, config.server.url ?? ''].flatMap((address) => hostIn(address) ?? []);
  if (!own.includes(hostIn(origin) ?? '')) throw forbiddenError('Only a page of this service may send this request');
  return new URL(origin);
}

const hostIn = (address: string): string | null => (URL.canParse(address) ? new URL(address).host : null);

/** Answers a log-in with a cookie, and sends the browser to a page; shows the form again if it fails. */
export async function logIn(call: OpenPanelCall, pages: readonly { readonly name: string }[]): Promise<Answer> {
  const isSecure = needsHttps(originOf(call), call);
  const { page } = bodyOf(call.request);
  const target = pages.find(({ name }) => name === page) ?? pages[0];
  try {
    const token = beginLogIn(call.panel.pageTokens, await checkLogIn(call));
    return goTo(target?.name ?? '', setCookie(token, pageLifetime, isSecure));
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    return logInForm(call, { page: target?.name ?? '', error });
  }
}

/**
 * Returns whether the cookie of a log-in is only sent over HTTPS: always in production. Throws a ValidationError if the browser would
 * not keep it then, because the page was loaded over HTTP.
 */
function needsHttps(origin: URL, { running: { config } }: OpenPanelCall): boolean {
  const isHttps = origin.protocol === 'https:';
  if (config.environment !== 'production') return isHttps;
  if (!isHttps && !isLoopback(origin)) throw validationError('In production, log in over HTTPS');
  return true;
}

/** Returns whether browsers trust an address without HTTPS. */
const isLoopback = ({ hostname }: URL): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);

/** Ends the log-in, and deletes the cookie. */
export async function logOut(call: OpenPanelCall, pages: readonly { readonly name: string }[]): Promise<Answer> {
  originOf(call);
  const claims = (await administratorOfPage(call)) && call.panel.pageTokens.verify(cookieOf(call.request, cookie) ?? '');
  if (claims !== null && typeof claims !== 'string') await endLogIn(claims, call.content);
  return goTo(pages[0]?.name ?? '', setCookie('', 0, false));
}

/** Without a path, the cookie is sent to the paths beside that of the log-in alone, also behind a proxy that adds a path. */
const setCookie = (token: string, seconds: number, isSecure: boolean): string =>
  `${cookie}=${token}; Max-Age=${String(seconds)}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;

const goTo = (page: string, newCookie: string): Answer => ({
  status: 303,
  headers: { Location: page, 'Set-Cookie': newCookie, 'Cache-Control': 'no-store' },
});

interface FormInput {
  /** The page to show after the log-in. */
  readonly page: string;
  /** Why a log-in failed. */
  readonly error?: ApiError;
}

/** Returns the answer with the form of the log-in. */
export async function logInForm(call: OpenPanelCall, { page, error }: FormInput): Promise<Answer> {
  const { email } = bodyOf(call.request);
  const body = html`<header>
      <h1>Status</h1>
      <p class="soft">For administrators of this service</p>
    </header>
    <main>
      ${error === undefined ? null : html`<p class="warnings" role="alert">${error.message}</p>`}
      ${(await hasAdministrator(call.content)) ? null : html`<p class="warnings">${noAdministrator}</p>`}
      <form method="post" action="log-in">
        <input type="hidden" name="page" value="${page}" />
        <label>
          E-mail address
          <input name="email" type="email" autocomplete="username" required value="${typeof email === 'string' ? email : ''}" />
        </label>
        <label>Password <input name="password" type="password" autocomplete="current-password" required /></label>
        <button>Log in</button>
      </form>
    </main>`;
  const answer = pageAnswer({ title: 'Log in – Status', body, hasForms: true });
  return { ...answer, status: error?.status ?? 401, headers: { ...answer.headers, ...error?.headers, ...ofPages } };
}

const noAdministrator = html`There is no administrator yet. Register in the panel, on the machine of the service, or run
  <code>${commandLine('admin create --email E-MAIL --firstname NAME')}</code>`;

/** Headers of all pages. Browsers send the origin of forms only if their page sends a referrer. */
export const ofPages = { 'Referrer-Policy': 'same-origin', 'X-Frame-Options': 'DENY', 'X-Content-Type-Options': 'nosniff' };
