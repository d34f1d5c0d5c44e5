import type { Configuration } from 'openid-client';
import { loadJwt } from '#content/rights/user-tokens.js';
import { BoundedCache } from '#base/caches.js';
import { ApiError, validationError } from '#base/errors.js';
import { addressOf, fetchProvider, isThisMachine, providerFailure } from './call-provider.js';
import { isOpenId, type KnownProvider } from './ready-providers.js';

/** Loaded on the first login, because most services have no providers. */
export const oauthLibrary = () => import('openid-client');

/** The clients by the settings of their providers, which may be changed in the store while the service runs. */
const clients = new BoundedCache<Promise<Configuration>>({ entries: 100, bytes: 1_000_000 });

/**
 * Returns the client of a provider. The configuration of an OpenID Connect provider is read once, or again after a failure. Throws a
 * 502 or 503 if it cannot be read.
 */
export function oauthClient(provider: KnownProvider): Promise<Configuration> {
  const key = JSON.stringify(provider);
  const cached = clients.get(key);
  if (cached !== undefined) return cached;
  const configuration = isOpenId(provider) ? discover(provider) : describe(provider);
  clients.set(key, configuration, 5_000);
  configuration.catch(() => clients.delete(key));
  return configuration;
}

async function discover(provider: KnownProvider): Promise<Configuration> {
  const { allowInsecureRequests, customFetch, discovery, enableNonRepudiationChecks } = await oauthLibrary();
  const issuer = addressOf(provider.name, provider.issuer ?? '');
  // By default the library relies on TLS and does not check the signature of an id token.
  const execute = [enableNonRepudiationChecks, ...(isThisMachine(issuer.hostname) ? [allowInsecureRequests] : [])];
  const options = { execute, [customFetch]: fetchFor(provider) };
  try {
    return await discovery(issuer, provider.clientId, provider.clientSecret, await authentication(provider), options);
  } catch (error) {
    throw apiErrorIn(error) ?? providerFailure(provider.name, reasonOf(error));
  }
}

async function describe(provider: KnownProvider): Promise<Configuration> {
  const { allowInsecureRequests, Configuration, customFetch } = await oauthLibrary();
  const { authorizeUrl = '', tokenUrl = '', clientId, clientSecret } = provider;
  const { origin, hostname } = addressOf(provider.name, tokenUrl);
  const server = { issuer: origin, authorization_endpoint: authorizeUrl, token_endpoint: tokenUrl };
  const client = new Configuration(server, clientId, clientSecret, await authentication(provider));
  Object.assign(client, { [customFetch]: fetchFor(provider) });
  if (isThisMachine(hostname)) allowInsecureRequests(client);
  return client;
}

const fetchFor =
  (provider: KnownProvider) =>
  (url: string, { method, headers, body }: RequestInit) =>
    fetchProvider(provider, url, { ...(method !== undefined && { method }), ...(headers && { headers }), ...(body && { body }) });

/** Returns how the client proves its identity: by its secret in the body, which for Apple is a token signed by its key. */
async function authentication(provider: KnownProvider) {
  const { ClientSecretPost } = await oauthLibrary();
  if (provider.privateKey === undefined) return ClientSecretPost(provider.clientSecret);
  return (_server: unknown, _client: unknown, body: URLSearchParams): void => {
    body.set('client_id', provider.clientId);
    body.set('client_secret', signedSecret(provider));
  };
}

function signedSecret({ name, clientId, issuer = '', keyId = '', privateKey = '', teamId = '' }: KnownProvider): string {
  try {
    const options = { keyid: keyId, issuer: teamId, subject: clientId, audience: issuer, expiresIn: 300 } as const;
    return loadJwt().sign({}, privateKey.replaceAll('\\n', '\n'), { algorithm: 'ES256', ...options });
  } catch {
    throw providerFailure(name, 'privateKey is not a key for ES256 in PEM');
  }
}

/** Codes by which a token address says that the code of the user is wrong, not the client. */
const wrongCodes: readonly string[] = ['invalid_grant', 'bad_verification_code', 'access_denied'];

/** Errors of the library for answers that are not those of a token address. */
const wrongAnswers: readonly unknown[] = ['OAUTH_PARSE_ERROR', 'OAUTH_RESPONSE_IS_NOT_JSON', 'OAUTH_RESPONSE_IS_NOT_CONFORM'];

/** Returns the error of a login that failed: a 502 or 503 if the provider is the cause, else a ValidationError. */
export async function loginError(provider: string, error: unknown): Promise<ApiError> {
  const { ResponseBodyError, WWWAuthenticateChallengeError } = await oauthLibrary();
  const apiError = apiErrorIn(error);
  if (apiError !== null) return apiError;
  if (error instanceof WWWAuthenticateChallengeError) return providerFailure(provider, `status ${String(error.status)}`);
  if (error instanceof ResponseBodyError && !wrongCodes.includes(error.error))
    return providerFailure(provider, /^[\w.-]{1,60}$/.test(error.error) ? error.error : 'unknown error');
  if (error instanceof Error && 'code' in error && wrongAnswers.includes(error.code))
    return providerFailure(provider, reasonOf(error));
  return validationError('The provider did not confirm the login', { reason: error instanceof Error ? error.name : 'unknown' });
}

/** Returns the ApiError among an error and its causes, because the library wraps errors. */
function apiErrorIn(error: unknown): ApiError | null {
  if (error instanceof ApiError) return error;
  return error instanceof Error && error.cause !== undefined ? apiErrorIn(error.cause) : null;
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : 'unknown');
