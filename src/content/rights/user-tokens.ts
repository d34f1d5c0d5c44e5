import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { createRequire } from 'node:module';
import type jwt from 'jsonwebtoken';
import { BoundedCache } from '#base/caches.js';
import { decodeId, isId } from '#base/values.js';
import type { KnownUser } from './caller.js';

/** Issues and verifies the tokens of users. */
export interface UserTokens {
  /** Returns a token for a user. Its version and session are in the header, so that its claims are those of Strapi v4. */
  sign(user: Pick<KnownUser, 'id' | 'tokenVersion'> & { readonly session?: string }, expiresIn?: string | number): string;
  /**
   * Returns a token with the claims and options of code, which knows no version of a user. The header has the time, because `iat`
   * has whole seconds. Without an option or claim for it, the token expires like others. Throws an Error for invalid options.
   */
  signClaims(claims: object, options?: ClaimsOptions): string;
  /** Returns whose token it is, or the reason to refuse it. */
  verify(token: string): SessionClaims | 'token_invalid' | 'token_expired';
  /** Returns all claims of a token, also of one that belongs to no user. Throws an Error if it is invalid or has expired. */
  claimsOf(token: string): unknown;
  /** Returns the HMAC of a string, in 64 hexadecimal digits. */
  derive(text: string): string;
  /** Returns the HMAC by the former key; null if there is none. */
  deriveFormerly(text: string): string | null;
}

/** Options of the package jsonwebtoken. */
export type ClaimsOptions = jwt.SignOptions;

export interface TokenClaims {
  readonly id: number;
  /** Version of the user's tokens; null if the token has none, and counts by the time when it was issued. */
  readonly version: number | null;
  /** Milliseconds since 1970. */
  readonly issuedAt: number;
}

interface SessionClaims extends TokenClaims {
  /** The log-in that the token belongs to; null if it names none. */
  readonly session: string | null;
}

interface Verified extends SessionClaims {
  readonly expiresAt: number;
}

/**
 * Creates the issuer of user tokens. It signs with HS256 and accepts no other algorithm. The key object is built once, because
 * otherwise the library tries to read the string as a PEM key at every call, which takes 450 µs. Verified tokens are cached,
 * because checking a signature takes 30 µs and clients repeat their tokens. What `former`, the key before this one, has signed is accepted.
 */
export function userTokens(secret: string, expiresIn: string | number, former: string | null = null): UserTokens {
  const [key, formerKey] = [createSecretKey(secret, 'utf8'), former === null ? null : createSecretKey(former, 'utf8')];
  const verifiedTokens = new BoundedCache<Verified>(bounds);
  return {
    sign: ({ id, tokenVersion: v, session: s }, lifetime = expiresIn) => {
      const header = { alg: 'HS256', v, ...(s !== undefined && { s }) } as jwt.JwtHeader; // it may have any keys
      return loadJwt().sign({ id }, key, { header, ...lasting(lifetime) });
    },
    signClaims: (claims, options = {}) => {
      const isTimed = 'iat' in claims || options.noTimestamp === true;
      const header = { alg: options.algorithm ?? 'HS256', ...(!isTimed && { at: Date.now() }), ...options.header };
      const lifetime = 'exp' in claims || 'expiresIn' in options ? {} : lasting(expiresIn);
      return loadJwt().sign({ ...claims }, key, { ...lifetime, ...options, header });
    },
    claimsOf: (token) => {
      const options: jwt.VerifyOptions = { algorithms: ['HS256', 'HS384', 'HS512'] };
      try {
        return loadJwt().verify(token, key, options);
      } catch (error) {
        if (formerKey === null || !(error instanceof Error) || error.message !== 'invalid signature') throw error;
        return loadJwt().verify(token, formerKey, options);
      }
    },
    verify: (token) => {
      const remembered = verifiedTokens.get(token);
      if (remembered !== undefined) return remembered.expiresAt > seconds() ? remembered : 'token_expired';
      const first = verify(token, key);
      const verified = first === 'token_invalid' && formerKey !== null ? verify(token, formerKey) : first;
      if (typeof verified !== 'string') verifiedTokens.set(token, verified, 0);
      return verified;
    },
    derive: (text) => hmac(text, key),
    deriveFormerly: (text) => (formerKey === null ? null : hmac(text, formerKey)),
  };
}

const hmac = (text: string, key: KeyObject): string => createHmac('sha256', key).update(text).digest('hex');

/** Room for about 5,000 tokens. */
const bounds = { bytes: 3_500_000 };

const lasting = (lifetime: string | number) => ({
  expiresIn: lifetime as NonNullable<jwt.SignOptions['expiresIn']>, // checked by the library
});

const seconds = (): number => Math.floor(Date.now() / 1000);

function verify(token: string, key: KeyObject): Verified | 'token_invalid' | 'token_expired' {
  try {
    const { header, payload } = loadJwt().verify(token, key, { algorithms: ['HS256'], clockTolerance: 0, complete: true });
    if (typeof payload === 'string') return 'token_invalid';
    const { v = payload['v'], at, s } = { ...header } as Readonly<Record<string, unknown>>; // headers of any form
    const { id: claimed, iat = 0, exp = Infinity } = payload as jwt.JwtPayload & { readonly id?: unknown };
    const isOfCode = typeof at === 'number';
    const id = isOfCode && typeof claimed === 'string' ? decodeId(claimed) : claimed; // path parameters are strings
    if (!isId(id)) return 'token_invalid';
    const version = typeof v === 'number' && !isOfCode ? v : null;
    const session = typeof s === 'string' && !isOfCode ? s : null;
    return { id, version, session, issuedAt: isOfCode ? at : iat * 1000, expiresAt: exp };
  } catch (error) {
    // A TokenExpiredError is thrown only after the signature was verified.
    return error instanceof loadJwt().TokenExpiredError ? 'token_expired' : 'token_invalid';
  }
}

/** Returns the library of tokens. It is loaded when it is first needed, because it takes 70 ms and 1.3 MB. */
export const loadJwt = (): typeof jwt => (library ??= createRequire(import.meta.url)('jsonwebtoken') as typeof jwt); // typed by the import above

let library: typeof jwt | undefined;
