import { createPublicKey, type KeyObject, type JsonWebKey } from 'node:crypto';
import type jwt from 'jsonwebtoken';
import { loadJwt } from '#content/rights/user-tokens.js';
import { validationError, type ApiError } from '#base/errors.js';
import { isRecord, type Values } from '#base/values.js';
import { askProvider, providerFailure } from './call-provider.js';
import { oauthClient } from './oauth-client.js';
import { audiencesOf, isOpenId, type KnownProvider } from './ready-providers.js';

/** Signatures by keys that the provider publishes. Those by shared secrets are never accepted. */
const algorithms: jwt.Algorithm[] = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512'];

/** Returns whether a text has the form of a signed token. */
export const isSigned = (token: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token);

/** Returns whether a provider signs tokens with keys that it publishes. */
export const signsTokens = (provider: KnownProvider): boolean => isOpenId(provider) || provider.jwksUrl !== undefined;

/**
 * Returns the claims of a token that the provider has signed for this client. Throws a ValidationError with the reason if it has
 * another audience, issuer or signature, or has expired. Throws a 502 or 503 if the provider fails.
 */
export async function verifyToken(provider: KnownProvider, token: string): Promise<Values> {
  const { header, payload } = loadJwt().decode(token, { complete: true }) ?? {};
  if (header === undefined || !isRecord(payload)) throw refusal('it is not a signed token');
  const { issuer, keysUrl } = await signerOf(provider);
  const [keys, [first, ...others]] = [await keysOf(provider, keysUrl, header.kid), audiencesOf(provider)];
  const key = keys.find(({ id }) => header.kid === undefined || id === header.kid)?.key;
  if (key === undefined) throw refusal('its key is unknown to the provider');
  const expected = { issuer: issuerFor(issuer, payload), audience: [first, ...others] as [string, ...string[]] };
  try {
    return checkClaims(loadJwt().verify(token, key, { algorithms, clockTolerance: 30, ...expected }));
  } catch (error) {
    throw error instanceof loadJwt().JsonWebTokenError ? refusal(error.message.split('. ')[0] ?? '') : error;
  }
}

/** Returns the claims if they identify a user for a limited time. Tokens that end sessions have `events`. */
function checkClaims(claims: unknown): Values {
  if (!isRecord(claims) || typeof claims['exp'] !== 'number' || typeof claims['sub'] !== 'string' || 'events' in claims)
    throw refusal('it does not identify a user for a limited time');
  return claims;
}

const refusal = (reason: string): ApiError => validationError(`The token of the provider is refused: ${reason}`, { reason });

interface Signer {
  readonly issuer: string;
  readonly keysUrl: string;
}

async function signerOf(provider: KnownProvider): Promise<Signer> {
  const { issuer = '', jwksUrl } = provider;
  if (!isOpenId(provider)) return { issuer, keysUrl: jwksUrl ?? '' };
  const server = (await oauthClient(provider)).serverMetadata();
  const keysUrl = jwksUrl ?? server.jwks_uri;
  if (keysUrl === undefined) throw providerFailure(provider.name, 'the provider publishes no keys');
  return { issuer: server.issuer, keysUrl };
}

/** Returns the issuer with the tenant of a token, because the addresses of Microsoft for several tenants have a placeholder. */
const issuerFor = (issuer: string, { tid }: Values): string =>
  typeof tid === 'string' && /^[\w-]+$/.test(tid) ? issuer.replace('{tenantid}', tid) : issuer;

interface PublishedKey {
  readonly id: string | null;
  readonly key: KeyObject;
}

interface KeySet {
  readonly keys: readonly PublishedKey[];
  readonly readAt: number;
}

const keySets = new Map<string, Promise<KeySet>>();

/** Milliseconds for which keys are kept, and those for which they are not read again for an unknown key. */
const keyLifetime = { known: 3_600_000, unknown: 30_000 };

/** Returns the keys of a provider. They are read again after an hour, or for an unknown key after half a minute. */
async function keysOf(provider: KnownProvider, url: string, id: string | undefined): Promise<readonly PublishedKey[]> {
  const set = await keySets.get(url)?.catch(() => null);
  const isKnown = id === undefined || set?.keys.some((key) => key.id === id) === true;
  if (set && Date.now() - set.readAt < keyLifetime[isKnown ? 'known' : 'unknown']) return set.keys;
  const read = readKeys(provider, url);
  keySets.set(url, read);
  read.catch(() => keySets.delete(url));
  return (await read).keys;
}

async function readKeys(provider: KnownProvider, url: string): Promise<KeySet> {
  const { status, body } = await askProvider(provider, url);
  if (status !== 200 || !isRecord(body) || !Array.isArray(body['keys']))
    throw providerFailure(provider.name, 'it has no list of keys');
  return { keys: body['keys'].filter(isRecord).flatMap(publishedKey), readAt: Date.now() };
}

/** Returns the key; nothing for keys of unknown kinds and those that encrypt. */
function publishedKey(key: Values): readonly PublishedKey[] {
  if (key['use'] === 'enc' || (key['kty'] !== 'RSA' && key['kty'] !== 'EC')) return [];
  try {
    const id = typeof key['kid'] === 'string' ? key['kid'] : null;
    return [{ id, key: createPublicKey({ key: key as JsonWebKey, format: 'jwk' }) }]; // checked by the function
  } catch {
    return [];
  }
}
