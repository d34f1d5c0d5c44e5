import type { Configuration } from 'openid-client';
import { applicationError, validationError } from '../../errors.js';
import type { ContentContext } from '../../content/content-context.js';
import { loginStateStore } from '../../mongo/stores/login-state-store.js';
import type { Accounts } from '../accounts.js';
import { hashCode, makeCode } from './passwords.js';

/** Logins through an OpenID Connect provider: authorization code with PKCE, state and nonce, bound to one browser. */
interface LoginProvider {
  readonly name: string;
  /** The URL that the browser is sent to after the login; null if the callback itself answers. */
  readonly redirect: string | null;
  /** Starts a login. Returns the URL to send the browser to, and a secret that the browser must return in a cookie. */
  begin(callback: string, content: ContentContext): Promise<{ readonly address: string; readonly browser: string }>;
  /** Finishes a login and returns the identity of the user. Throws a ValidationError if the response is not valid. */
  finish(returned: Returned, content: ContentContext): Promise<Identity>;
}

/** The provider's response: the callback URL with its query, and the browser's secret. */
interface Returned {
  readonly address: URL;
  readonly browser: string;
}

/** The account of a user at the provider. */
export interface Identity {
  readonly provider: string;
  /** The provider's id of the user, which is never reused. */
  readonly subject: string;
  readonly email: string;
  /** Whether the provider has verified the e-mail address. */
  readonly isVerified: boolean;
  readonly name: string;
}

interface LoginState {
  readonly provider: string;
  readonly browser: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Maximum duration of a login, in milliseconds. */
const patience = 600_000;

const library = () => import('openid-client');

const configurations = new Map<string, Promise<Configuration>>();

/**
 * Returns the provider of a name. Throws an ApplicationError if none is configured, and for `local`, the name for users with
 * passwords.
 */
export function loginProvider({ config }: Accounts, name: string): LoginProvider {
  const { providers } = config.plugins['users-permissions'].config;
  const settings = name !== 'local' && Object.hasOwn(providers, name) ? providers[name] : undefined;
  if (settings === undefined) throw applicationError('This provider is disabled');
  const configuration = () => discover(settings.issuer, settings.clientId, settings.clientSecret);
  return {
    name,
    redirect: settings.redirect ?? null,
    begin: async (callback, content) =>
      begin(name, { callback, scope: settings.scope ?? 'openid email profile', configuration: await configuration() }, content),
    finish: async (returned, content) => finish(name, returned, { configuration: await configuration(), content }),
  };
}

/**
 * Reads the configuration of a provider once, or again after a failure. Plain HTTP is allowed only for providers on this machine.
 */
function discover(issuer: string, clientId: string, clientSecret: string): Promise<Configuration> {
  const key = JSON.stringify([issuer, clientId, clientSecret]);
  const known = configurations.get(key);
  if (known !== undefined) return known;
  const found = read(new URL(issuer), clientId, clientSecret);
  configurations.set(key, found);
  found.catch(() => configurations.delete(key));
  return found;
}

async function read(issuer: URL, clientId: string, clientSecret: string): Promise<Configuration> {
  const { discovery, allowInsecureRequests, enableNonRepudiationChecks } = await library();
  const isLocal = issuer.protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(issuer.hostname);
  // By default the library relies on TLS and does not check the signature of an id token.
  const execute = [enableNonRepudiationChecks, ...(isLocal ? [allowInsecureRequests] : [])];
  return discovery(issuer, clientId, clientSecret, undefined, { execute, timeout: 10 });
}

interface Beginning {
  readonly callback: string;
  readonly scope: string;
  readonly configuration: Configuration;
}

async function begin(provider: string, { callback, scope, configuration }: Beginning, content: ContentContext) {
  const { buildAuthorizationUrl, calculatePKCECodeChallenge, randomNonce, randomPKCECodeVerifier } = await library();
  const [state, browser, nonce, verifier] = [makeCode(32), makeCode(32), randomNonce(), randomPKCECodeVerifier()];
  const value: LoginState = { provider, browser: hashCode(browser), nonce, verifier };
  const expiresAt = new Date(Date.now() + patience);
  await loginStateStore<LoginState>(content.store.database).put({ _id: hashCode(state), value, expiresAt });
  const address = buildAuthorizationUrl(configuration, {
    redirect_uri: callback,
    scope,
    state,
    nonce,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  return { address: address.href, browser };
}

interface Finishing {
  readonly configuration: Configuration;
  readonly content: ContentContext;
}

async function finish(
  provider: string,
  { address, browser }: Returned,
  { configuration, content }: Finishing,
): Promise<Identity> {
  const state = address.searchParams.get('state') ?? '';
  const begun = await loginStateStore<LoginState>(content.store.database).take(hashCode(state));
  if (begun === null || begun.provider !== provider || begun.browser !== hashCode(browser))
    throw validationError('This login was not started here, or took too long');
  const { authorizationCodeGrant } = await library();
  const checks = { expectedState: state, expectedNonce: begun.nonce, pkceCodeVerifier: begun.verifier, idTokenExpected: true };
  const tokens = await authorizationCodeGrant(configuration, address, checks).catch((error: unknown) => {
    throw validationError('The provider did not confirm the login', { reason: error instanceof Error ? error.name : 'unknown' });
  });
  return identityOf(provider, tokens.claims() ?? {});
}

function identityOf(provider: string, claims: Readonly<Record<string, unknown>>): Identity {
  const text = (name: string): string => (typeof claims[name] === 'string' ? claims[name] : '');
  const email = text('email').toLowerCase();
  if (email === '' || claims['email_verified'] === false) throw applicationError('Email was not available.');
  const name = text('preferred_username') || text('name') || (email.split('@')[0] ?? '');
  return { provider, subject: text('sub'), email, isVerified: claims['email_verified'] === true, name };
}
