import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context } from 'koa';
import { type ApiToken, refuseExpired } from '#content/rights/api-token.js';
import { readBearer } from '#content/rights/authenticate.js';
import type { Caller } from '#content/rights/caller.js';
import { refusedToken, unauthorizedError } from '#base/errors.js';
import { fullAccess } from '#model/query/access.js';
import { countGuess } from './limit-requests.js';
import { requestIdOf } from './route-request.js';
import type { RunningService } from './running.js';

/** Returns the admin. Throws an UnauthorizedError for any other caller. */
export async function findAdmin(ctx: Context, running: RunningService): Promise<Caller> {
  ctx.set('Cache-Control', 'private, no-store');
  const key = readBearer(ctx.req.headers.authorization);
  if (key === null) throw unauthorizedError();
  const admin = await readAdmin(ctx, key, running);
  if (admin === null) throw refusedToken('token_invalid');
  return admin;
}

/**
 * Returns the holder of the configured admin token or of a stored one; null if the key is neither. A key that is no token at all
 * counts as a guess. Throws a RateLimitError for too many guesses, and an UnauthorizedError if the token has expired.
 */
export async function readAdmin(
  ctx: Context,
  key: string,
  { secrets, authenticator, adminGuesses }: RunningService,
): Promise<Caller | null> {
  const configured = [secrets.adminToken, secrets.previous.adminToken ?? ''].filter((token) => token !== '');
  if (configured.some((token) => isEqual(key, token))) return tokenCaller(configuredToken);
  if (isUserToken(key)) return null;
  const token = await authenticator.findToken(key, requestIdOf(ctx));
  if (token === null) await countGuess(ctx, adminGuesses);
  if (token?.type !== 'admin') return null;
  refuseExpired(token);
  return tokenCaller(token);
}

/** Returns whether a key has the form of a JWT, valid or not. Clients with an old session send those, and nobody guesses them. */
const isUserToken = (key: string): boolean => /^eyJ[\w-]*\.[\w-]*\.[\w-]*$/.test(key);

const tokenCaller = (token: ApiToken): Caller => ({ kind: 'token', access: fullAccess, token });

/** The admin token of the configuration. It is not stored, and no stored token has its id. */
export const configuredToken: ApiToken = {
  id: 0,
  name: 'ADMIN_TOKEN',
  description: null,
  type: 'admin',
  permissions: [],
  expiresAt: null,
  lastUsedAt: null,
  createdAt: new Date(0),
  access: fullAccess,
};

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

const isEqual = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));
