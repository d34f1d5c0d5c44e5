import { ApiError, validationError } from '../../errors.js';
import type { Values } from '../../values.js';
import { identityOf, type Identity } from './identity.js';
import { readProfile } from './read-profile.js';
import type { KnownProvider } from './ready-providers.js';
import { proveAudience } from './token-proofs.js';
import { isSigned, signsTokens, verifyToken } from './verify-token.js';

/** Tokens of a provider that an app has received itself, such as from a mobile SDK. */
export interface ProviderTokens {
  readonly accessToken: string | null;
  readonly idToken: string | null;
}

/**
 * Returns the identity of the user of tokens that the provider has issued for this client. Tokens of other clients are refused,
 * because any app could log in with the tokens of its users otherwise. Throws a ValidationError that says why tokens are refused,
 * and a 502 or 503 if the provider fails.
 */
export async function identityOfTokens(provider: KnownProvider, { accessToken, idToken }: ProviderTokens): Promise<Identity> {
  const { name, profile } = provider;
  if (idToken !== null) {
    if (!signsTokens(provider)) throw validationError(`The provider ${name} has no id_token; send its access_token`);
    return identityOf(name, await verifyToken(provider, idToken), profile);
  }
  if (accessToken === null) throw validationError('No access_token.');
  const claims = await claimsOf(provider, accessToken);
  if (claims !== null && typeof claims['email'] === 'string') return identityOf(name, claims, profile);
  const identity = identityOf(name, await readProfile(provider, accessToken), profile);
  if (claims !== null && claims['sub'] !== identity.subject) throw validationError('The access_token is that of another user');
  return identity;
}

/** Returns the claims of an access token if it is signed for this client; null if the provider says that it is for this client. */
async function claimsOf(provider: KnownProvider, token: string): Promise<Values | null> {
  const claims = isSigned(token) && signsTokens(provider) ? await verifyToken(provider, token).catch(refusalOf) : null;
  if (claims !== null && !(claims instanceof ApiError)) return claims;
  if (await proveAudience(provider, token)) return null;
  throw claims ?? validationError(unproven(provider));
}

/** Returns a refusal, because the provider may still know the token. Throws other errors. */
function refusalOf(error: unknown): ApiError {
  if (error instanceof ApiError && error.status === 400) return error;
  throw error;
}

const unproven = (provider: KnownProvider): string =>
  `Nothing proves for which app the access_token was issued; ${signsTokens(provider) ? 'send the id_token' : 'begin at /connect'}` +
  `, or set introspectionUrl of the provider ${provider.name}`;
