import type { CodeFlow } from '#accounts/login/open-id.js';
import { validationError } from '#base/errors.js';
import { isRecord } from '#base/values.js';
import { cookieOf, type RouteRequest } from '#http/route-request.js';

const cookie = 'mangrove.sso';

/** Seconds for which a sign-on may last. */
const patience = 600;

/** Returns the header that keeps a sign-on in the browser. Only the callback receives it. */
export function keepFlow({ state, nonce, verifier }: CodeFlow, callback: string): string {
  const value = { state, nonce, verifier, until: Date.now() + patience * 1_000 };
  return header(Buffer.from(JSON.stringify(value)).toString('base64url'), patience, callback);
}

/** Returns the header that removes the cookie. */
export const forgetFlow = (callback: string): string => header('', 0, callback);

function header(value: string, seconds: number, callback: string): string {
  const { pathname, protocol } = new URL(callback);
  const secure = protocol === 'https:' ? '; Secure' : '';
  return `${cookie}=${value}; Path=${pathname}; Max-Age=${String(seconds)}; HttpOnly; SameSite=Lax${secure}`;
}

/**
 * Returns the sign-on that a browser has begun. Throws a ValidationError if there is none of the state in the address, or if it has
 * expired.
 */
export function readFlow(request: RouteRequest, state: unknown): CodeFlow {
  const flow = flowIn(cookieOf(request, cookie) ?? '');
  if (flow !== null && flow.state === state) return flow;
  throw validationError('This sign-on was not begun in this browser, or took too long. Begin again.');
}

function flowIn(text: string): CodeFlow | null {
  if (text.length > 1_000) return null;
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (!isRecord(value)) return null;
    const { state, nonce, verifier, until } = value;
    const isWhole = [state, nonce, verifier].every((part) => typeof part === 'string' && part !== '');
    if (!isWhole || typeof until !== 'number' || until < Date.now()) return null;
    return { state, nonce, verifier } as CodeFlow; // checked above
  } catch {
    return null;
  }
}
