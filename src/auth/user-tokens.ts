import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { createRequire } from 'node:module';
import type jwt from 'jsonwebtoken';
import { BoundedCache } from '../caches.js';
import { isId } from '../values.js';
import type { KnownUser } from './caller.js';

/** Issues and verifies the tokens of users. */
export interface UserTokens {
  /** Returns a token for a user. Its version is omitted if it is 0, so that the token looks like Strapi v4's. */
  sign(user: Pick<KnownUser, 'id' | 'tokenVersion'>, expiresIn?: string | number): string;
  /** Returns the claims of a token, or the reason to refuse it. */
  verify(token: string): TokenClaims | 'token_invalid' | 'token_expired';
  /** Returns the HMAC of a string, in 64 hexadecimal digits. */
  derive(text: string): string;
}

export interface TokenClaims {
  readonly id: number;
  readonly version: number;
}

interface Verified extends TokenClaims {
  readonly expiresAt: number;
}

/**
 * Creates the issuer of user tokens. It signs with HS256 and accepts no other algorithm. The key object is built once, because
 * otherwise the library tries to read the string as a PEM key at every call, which takes 450 µs. Verified tokens are cached,
 * because checking a signature takes 30 µs and clients repeat their tokens.
 */
export function userTokens(secret: string, expiresIn: string | number): UserTokens {
  const key = createSecretKey(secret, 'utf8');
  const known = new BoundedCache<Verified>(bounds);
  return {
    sign: ({ id, tokenVersion }, lifetime = expiresIn) =>
      loadLibrary().sign({ id, ...(tokenVersion > 0 && { v: tokenVersion }) }, key, {
        algorithm: 'HS256',
        expiresIn: lifetime as NonNullable<jwt.SignOptions['expiresIn']>, // checked by the library
      }),
    verify: (token) => {
      const remembered = known.get(token);
      if (remembered !== undefined) return remembered.expiresAt > seconds() ? remembered : 'token_expired';
      const verified = verify(token, key);
      if (typeof verified !== 'string') known.set(token, verified, 0);
      return verified;
    },
    derive: (text) => createHmac('sha256', key).update(text).digest('hex'),
  };
}

/** Loads the library when it is first needed, because it takes 70 ms and 1.3 MB. */
const loadLibrary = (): typeof jwt => (library ??= createRequire(import.meta.url)('jsonwebtoken') as typeof jwt); // typed by the import above

let library: typeof jwt | undefined;

const bounds = { entries: 5_000, bytes: 10_000_000 };

const seconds = (): number => Math.floor(Date.now() / 1000);

function verify(token: string, key: KeyObject): Verified | 'token_invalid' | 'token_expired' {
  try {
    const claims = loadLibrary().verify(token, key, { algorithms: ['HS256'], clockTolerance: 0 });
    if (typeof claims === 'string') return 'token_invalid';
    const { id, v, exp } = claims as Readonly<Record<string, unknown>>; // claims of any form
    if (!isId(id)) return 'token_invalid';
    return { id, version: typeof v === 'number' ? v : 0, expiresAt: typeof exp === 'number' ? exp : Infinity };
  } catch (error) {
    // A TokenExpiredError is thrown only after the signature was verified.
    return error instanceof loadLibrary().TokenExpiredError ? 'token_expired' : 'token_invalid';
  }
}
