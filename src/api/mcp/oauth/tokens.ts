import { timingSafeEqual } from 'node:crypto';
import { memoize } from '#base/caches.js';
import type { TokenFault } from '#base/errors.js';
import { isRecord, type Values } from '#base/values.js';
import { userTokens, type UserTokens } from '#content/rights/user-tokens.js';
import type { Addresses } from './addresses.js';

/** A code or a refresh token of a grant. `count` is the number of tokens before it. */
interface GrantToken {
  readonly grant: string;
  readonly count: number;
}

type Use = 'code' | 'refresh token';

const textOf = (use: Use, { grant, count }: GrantToken): string => `oauth ${use} ${grant} ${String(count)}`;

/**
 * Returns a code or a refresh token. It is not stored: the grant says which one is current. It depends on the secret of the service, so
 * that a change of the secret ends all grants.
 */
export const grantToken = (use: Use, of: GrantToken, tokens: UserTokens): string =>
  `${of.grant}.${String(of.count)}.${tokens.derive(textOf(use, of))}`;

const form = /^([\w-]{22})\.(0|[1-9]\d{0,8})\.([0-9a-f]{64})$/;

/** Returns what a code or a refresh token says; null if the service has not issued it. Whether it is current, the grant says. */
export function readGrantToken(use: Use, token: string, tokens: UserTokens): GrantToken | null {
  const [, grant, count, mac] = form.exec(token) ?? [];
  if (grant === undefined || mac === undefined) return null;
  const of = { grant, count: Number(count) };
  const macs = [tokens.derive(textOf(use, of)), tokens.deriveFormerly(textOf(use, of))];
  return macs.some((one) => one !== null && timingSafeEqual(Buffer.from(one), Buffer.from(mac))) ? of : null;
}

/** Seconds for which an access token is valid, and for which a form is. */
export const accessLifetime = 900;
const formLifetime = 600;

/** Returns the issuer of tokens with a key of its own, which follows from that of the tokens of users. */
const issuing = (use: string, seconds: number) =>
  memoize((tokens: UserTokens) => userTokens(tokens.derive(`oauth ${use}`), seconds, tokens.deriveFormerly(`oauth ${use}`)));

const accessTokens = issuing('access token', accessLifetime);
const formTokens = issuing('form', formLifetime);

/** What an access token says. */
interface AccessClaims {
  readonly grant: string;
  readonly user: number;
  readonly client: string;
  readonly scope: string;
}

/** The type of access tokens, which tells them from the tokens of users (RFC 9068). All of them begin with `beginning`. */
const header = { alg: 'HS256', typ: 'at+jwt' } as const;
const beginning = Buffer.from(JSON.stringify(header).slice(0, -1)).toString('base64url').slice(0, -2);

/** Returns whether a token has the form of an access token, valid or not. */
export const isAccessToken = (token: string): boolean => token.startsWith(beginning);

/** Returns an access token, a JWT that is valid for 15 minutes. */
export function accessToken({ grant, user, client, scope }: AccessClaims, addresses: Addresses, tokens: UserTokens): string {
  const { issuer, resource: audience } = addresses;
  const claims = { scope, client_id: client, grant };
  return accessTokens(tokens).signClaims(claims, { header, issuer, audience, subject: String(user) });
}

/** Returns what an access token of the endpoint says, or the reason to refuse it. */
export function readAccessToken(token: string, { issuer, resource }: Addresses, tokens: UserTokens): AccessClaims | TokenFault {
  const claims = claimsOf(token, accessTokens(tokens));
  if (typeof claims === 'string') return claims;
  const { iss, aud, grant, sub, client_id: client, scope } = claims;
  if (iss !== issuer || aud !== resource) return 'token_invalid';
  return { grant: String(grant), user: Number(sub), client: String(client), scope: String(scope) };
}

/** Returns the hidden value of a form. `audience` says which form. */
export const formToken = (values: object, audience: string, tokens: UserTokens): string =>
  formTokens(tokens).signClaims(values, { audience });

/** Returns the values of a form; null if the service has not issued it, or it has expired. */
export function readFormToken(token: string, audience: string, tokens: UserTokens): Values | null {
  const values = claimsOf(token, formTokens(tokens));
  return typeof values === 'string' || values['aud'] !== audience ? null : values;
}

/** Returns the claims of a token, or the reason to refuse it. */
function claimsOf(token: string, tokens: UserTokens): Values | 'token_invalid' | 'token_expired' {
  try {
    const claims = tokens.claimsOf(token);
    return isRecord(claims) ? claims : 'token_invalid';
  } catch (error) {
    return error instanceof Error && error.name === 'TokenExpiredError' ? 'token_expired' : 'token_invalid';
  }
}
