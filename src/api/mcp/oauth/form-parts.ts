import { createHash, randomBytes } from 'node:crypto';
import type { Accounts } from '#content/rights/accounts.js';
import { cookieOf, type RouteRequest } from '#http/route-request.js';
import type { AuthorizationRequest } from './authorization-request.js';
import { formToken, readFormToken } from './tokens.js';

const cookie = 'mangrove.oauth';
const secretForm = /^[\w-]{43}$/;

/** The secret of a browser, which forms are bound to, so that no other page can send them. */
export interface Browser {
  readonly secret: string;
  /** The header that stores it; null if the browser has it. */
  readonly newCookie: string | null;
}

/** Returns the secret of a browser, a new one if it has none. Without a path, the cookie is sent to the paths beside the page alone. */
export function browserOf(request: RouteRequest, { address }: Pick<Accounts, 'address'>): Browser {
  const sent = cookieOf(request, cookie);
  if (sent !== undefined && secretForm.test(sent)) return { secret: sent, newCookie: null };
  const secret = randomBytes(32).toString('base64url');
  const secure = address.url.startsWith('https:') ? '; Secure' : '';
  return { secret, newCookie: `${cookie}=${secret}; HttpOnly; SameSite=Lax${secure}` };
}

/** What a form carries from page to page. */
export interface FormState {
  readonly request: AuthorizationRequest;
  /** The user who has logged in, with the version of the tokens then; null before. */
  readonly user: { readonly id: number; readonly version: number } | null;
}

const digest = (secret: string): string => createHash('sha256').update(secret).digest('base64url');

/** Returns the hidden value of a form, which the service has signed. */
export const sealForm = (form: 'log-in' | 'consent', state: FormState, { secret }: Browser, { tokens }: Accounts): string =>
  formToken({ ...state, browser: digest(secret) }, form, tokens);

/** Returns what a form carries; null if it is not a form of the service, has expired, or was shown to another browser. */
export function openForm(
  form: 'log-in' | 'consent',
  sealed: unknown,
  request: RouteRequest,
  { tokens }: Accounts,
): FormState | null {
  const values = typeof sealed === 'string' ? readFormToken(sealed, form, tokens) : null;
  const secret = cookieOf(request, cookie);
  if (values === null || secret === undefined || values['browser'] !== digest(secret)) return null;
  const { request: asked, user } = values as unknown as FormState; // as this service has signed it
  return { request: asked, user };
}

/** Returns whether a page of another site has sent a request. Browsers say the origin of each form. */
export function isForeign(request: RouteRequest, { address }: Pick<Accounts, 'address'>): boolean {
  const { origin } = request.headers;
  return (
    origin !== undefined && ![address.url, request.address].some((own) => URL.canParse(own) && new URL(own).origin === origin)
  );
}
