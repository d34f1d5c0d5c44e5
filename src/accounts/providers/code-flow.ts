import type { Values } from '#base/values.js';
import { addressOf } from './call-provider.js';
import { loginError, oauthClient, oauthLibrary } from './oauth-client.js';
import { isOpenId, type KnownProvider } from './ready-providers.js';

/** What the first request of a log-in in a browser knows, and the second one needs. */
export interface CodeFlow {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** The tokens of a finished log-in. `claims` are null without OpenID Connect. */
export interface FlowTokens {
  readonly claims: Values | null;
  readonly accessToken: string;
}

/** Begins an authorization code flow with PKCE and state; OpenID Connect adds a nonce. Returns the URL to send the browser to. */
export async function beginCodeFlow(
  provider: KnownProvider,
  callback: string,
): Promise<{ readonly address: string; readonly flow: CodeFlow }> {
  const library = await oauthLibrary();
  const client = await oauthClient(provider);
  addressOf(provider.name, client.serverMetadata().authorization_endpoint ?? '');
  const flow = { state: library.randomState(), nonce: library.randomNonce(), verifier: library.randomPKCECodeVerifier() };
  const { state, nonce, verifier } = flow;
  const address = library.buildAuthorizationUrl(client, {
    redirect_uri: callback,
    ...(isOpenId(provider) && { nonce }),
    // Apple answers by a form if an e-mail address is requested.
    ...(provider.ready === 'apple' && { response_mode: 'form_post' }),
    scope: provider.scope ?? (isOpenId(provider) ? 'openid email profile' : ''),
    state,
    code_challenge: await library.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  return { address: address.href, flow };
}

/**
 * Exchanges the code in the URL that a browser has returned to, and checks state, nonce, signature and issuer. Throws a
 * ValidationError if the provider has not confirmed the log-in, and a 502 or 503 if it fails.
 */
export async function finishCodeFlow(
  provider: KnownProvider,
  returned: URL,
  { state, nonce, verifier }: CodeFlow,
): Promise<FlowTokens> {
  const { authorizationCodeGrant } = await oauthLibrary();
  const client = await oauthClient(provider);
  const openId = { expectedNonce: nonce, idTokenExpected: true };
  const checks = { expectedState: state, pkceCodeVerifier: verifier, ...(isOpenId(provider) && openId) };
  const address = new URL(returned);
  // Without OpenID Connect the issuer is not known. The state says which provider the login has begun with.
  if (!isOpenId(provider)) address.searchParams.delete('iss');
  const tokens = await authorizationCodeGrant(client, address, checks).catch(async (error: unknown) => {
    throw await loginError(provider.name, error);
  });
  return { claims: isOpenId(provider) ? (tokens.claims() ?? {}) : null, accessToken: tokens.access_token };
}
