import type { ReadyName } from '#settings/provider-settings.js';
import { ApiError, validationError } from '#base/errors.js';
import { isRecord, recordIn, type Values } from '#base/values.js';
import { addressOf, askProvider, bearer, providerFailure } from './call-provider.js';
import { identityOf, type Identity } from './identity.js';
import { oauthClient } from './oauth-client.js';
import { readProfile } from './read-profile.js';
import { audiencesOf, isOpenId, type KnownProvider } from './ready-providers.js';
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
  const claims = isSigned(token) && signsTokens(provider) ? await verifyToken(provider, token).catch(orRefusal) : null;
  if (claims !== null && !(claims instanceof ApiError)) return claims;
  if (await proveAudience(provider, token)) return null;
  throw claims ?? validationError(unproven(provider));
}

/** Returns a refusal, because the provider may still know the token. Throws other errors. */
function orRefusal(error: unknown): ApiError {
  if (error instanceof ApiError && error.status === 400) return error;
  throw error;
}

const unproven = (provider: KnownProvider): string =>
  `Nothing proves for which app the access_token was issued; ${signsTokens(provider) ? 'send the id_token' : 'begin at /connect'}` +
  `, or set introspectionUrl of the provider ${provider.name}`;

/** How a provider tells for which client it has issued an access token. */
interface TokenInfo {
  readonly request: (provider: KnownProvider, token: string) => RequestInit;
  /** Parameters of the address. */
  readonly query?: (provider: KnownProvider, token: string) => Readonly<Record<string, string>>;
  /** Statuses of a token that is not valid. */
  readonly refusals: readonly number[];
  /** Returns the clients of a valid token; none if it is not valid. */
  readonly clients: (answer: Values) => readonly unknown[];
}

const basic = ({ clientId, clientSecret = '' }: KnownProvider): string =>
  `Basic ${Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`).toString('base64')}`;

/** The token information of ready providers. */
const tokenInfos: Partial<Record<ReadyName, TokenInfo>> = {
  discord: {
    request: (_, token) => bearer(token),
    refusals: [401],
    clients: (answer) => [recordIn(answer, 'application')['id']],
  },
  facebook: {
    request: () => ({}),
    query: ({ clientId, clientSecret = '' }, token) => ({ input_token: token, access_token: `${clientId}|${clientSecret}` }),
    refusals: [],
    clients: (answer) => {
      const { app_id: client, is_valid: isValid, type = 'USER' } = recordIn(answer, 'data');
      return isValid === true && type === 'USER' ? [client] : [];
    },
  },
  github: {
    request: (provider, token) => ({
      method: 'POST',
      headers: { authorization: basic(provider), 'content-type': 'application/json' },
      body: JSON.stringify({ access_token: token }),
    }),
    refusals: [404, 422],
    clients: (answer) => [recordIn(answer, 'app')['client_id']],
  },
  gitlab: {
    request: (_, token) => bearer(token),
    refusals: [401],
    clients: (answer) => [recordIn(answer, 'application')['uid']],
  },
  google: {
    request: () => ({}),
    query: (_, token) => ({ access_token: token }),
    refusals: [400, 401],
    clients: ({ aud }) => [aud],
  },
};

/** Token introspection (RFC 7662). */
const introspection: TokenInfo = {
  request: (provider, token) => ({
    method: 'POST',
    headers: { authorization: basic(provider), 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ token, token_type_hint: 'access_token' }).toString(),
  }),
  refusals: [],
  clients: ({ active, client_id: client, aud }) => (active === true ? [client, aud].flat() : []),
};

/**
 * Asks a provider for which client it has issued an access token. Returns false if the provider has no way to tell. Throws a
 * ValidationError if the token is not valid or was issued for another client, and a 502 or 503 if the provider fails.
 */
async function proveAudience(provider: KnownProvider, token: string): Promise<boolean> {
  const [info, url] = await wayOf(provider);
  if (url === undefined) return false;
  const target = addressOf(provider.name, url);
  for (const [name, value] of Object.entries(info.query?.(provider, token) ?? {})) target.searchParams.set(name, value);
  const { status, body } = await askProvider(provider, target.href, info.request(provider, token));
  if (info.refusals.includes(status)) throw refusalOf(provider, 'is not valid');
  if (status !== 200 || !isRecord(body))
    throw providerFailure(provider.name, `status ${String(status)} of the token information`);
  const clients = info.clients(body);
  if (clients.length === 0) throw refusalOf(provider, 'is not valid');
  if (!audiencesOf(provider).some((own) => clients.includes(own))) throw refusalOf(provider, 'was issued for another client');
  return true;
}

async function wayOf(provider: KnownProvider): Promise<readonly [TokenInfo, string | undefined]> {
  const own = provider.ready === null ? undefined : tokenInfos[provider.ready];
  if (own !== undefined && provider.tokenInfoUrl !== undefined) return [own, provider.tokenInfoUrl];
  if (provider.introspectionUrl !== undefined || !isOpenId(provider)) return [introspection, provider.introspectionUrl];
  return [introspection, (await oauthClient(provider)).serverMetadata().introspection_endpoint];
}

const refusalOf = ({ name }: KnownProvider, reason: string): ApiError =>
  validationError(`The access_token of the provider ${name} ${reason}`);
