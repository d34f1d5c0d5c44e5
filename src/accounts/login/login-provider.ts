import type { Config } from '#settings/config.js';
import { ApiError, applicationError, validationError } from '#base/errors.js';
import type { ContentContext } from '#content/content-context.js';
import { putLoginState, takeLoginState } from './login-states.js';
import type { Values } from '#base/values.js';
import type { Accounts } from '../accounts.js';
import { identityOfTokens, type ProviderTokens } from '../providers/accept-token.js';
import { beginCodeFlow, finishCodeFlow, type FlowTokens } from '../providers/code-flow.js';
import { identityOf, type Identity } from '../providers/identity.js';
import { addressesOf, type Grants, identityByCode, ownProvider } from '../providers/own-providers.js';
import { readProfile } from '../providers/read-profile.js';
import { grantedProvider, isSwitchedOff } from '../providers/read-grant.js';
import { knownProvider, type KnownProvider } from '../providers/ready-providers.js';
import { hashCode, makeCode } from './passwords.js';

/** Logins through another service: authorization code with PKCE and state, bound to one browser. OpenID Connect adds a nonce. */
interface LoginProvider {
  /** The URL that the browser is sent to after the login; null if the callback itself answers. */
  readonly redirect: string | null;
  /** Starts a login. Returns the URL to send the browser to, and a secret that the browser must return in a cookie. */
  begin(callback: string, content: ContentContext): Promise<{ readonly address: string; readonly browser: string }>;
  /** Finishes a login and returns the identity of the user. Throws a ValidationError if the response is not valid. */
  finish(returned: Returned, content: ContentContext): Promise<Identity>;
  /** Returns the identity of tokens that an app has received itself. Throws a ValidationError if nothing proves for which app. */
  accept(tokens: ReceivedTokens): Promise<Identity>;
}

/** The provider's response: the callback URL with its query, and the browser's secret. */
interface Returned {
  readonly address: URL;
  readonly browser: string;
}

/** Tokens in a request, and its whole query for the code of a project. */
export interface ReceivedTokens extends ProviderTokens {
  readonly query: Values;
}

interface LoginState {
  readonly provider: string;
  readonly browser: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Maximum duration of a login, in milliseconds. */
const patience = 600_000;

/**
 * Returns the provider of a name. Throws an ApplicationError if none is configured, and for `local`, the name for users with
 * passwords.
 */
export async function loginProvider(
  { config, observer, grants }: Pick<Accounts, 'config' | 'observer' | 'grants'>,
  name: string,
): Promise<LoginProvider> {
  const own = ownProvider(config, name);
  const stored = await grants();
  const provider = settingsOf(config, name, stored);
  if (provider === null && (own === undefined || isSwitchedOff(name, stored)))
    throw applicationError('This provider is disabled');
  const inBrowser = (): KnownProvider => provider ?? noBrowser(name);
  const finishHere = async (returned: Returned, content: ContentContext): Promise<Identity> => {
    const { claims, accessToken } = await finish(inBrowser(), returned, content);
    if (own) return identityByCode(config, own, { accessToken, query: { access_token: accessToken }, grants: stored });
    return identityOf(name, claims ?? (await readProfile(inBrowser(), accessToken)), provider?.profile);
  };
  const acceptHere = async (tokens: ReceivedTokens): Promise<Identity> =>
    own ? identityByCode(config, own, { ...tokens, grants: stored }) : identityOfTokens(inBrowser(), tokens);
  return {
    redirect: provider?.redirect ?? null,
    begin: (callback, content) => tellFailure(observer, async () => begin(inBrowser(), callback, content)),
    finish: (returned, content) => tellFailure(observer, () => finishHere(returned, content)),
    accept: (tokens) => tellFailure(observer, () => acceptHere(tokens)),
  };
}

/** Runs a step of a login. Reports a provider that fails, because only the operator can do something about it. */
async function tellFailure<Result>(observer: Accounts['observer'], step: () => Promise<Result>): Promise<Result> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof ApiError && error.status >= 500)
      observer.observe({ kind: 'warned', topic: 'login provider', text: error.message, about: error.details ?? {} });
    throw error;
  }
}

/**
 * Returns the settings of a provider: those of the configuration, otherwise the stored ones, otherwise those that code has registered
 * unless they are switched off in the store. Null if there are none.
 */
function settingsOf(config: Config, name: string, grants: Grants): KnownProvider | null {
  const { providers } = config.plugins['users-permissions'].config;
  const code = ownProvider(config, name)?.settings ?? null;
  const registered = isSwitchedOff(name, grants) ? null : code;
  const own = Object.hasOwn(providers, name) ? providers[name] : undefined;
  const stored = own === undefined ? grantedProvider(name, grants, addressesOf(code ?? {})) : null;
  const settings = own ?? stored ?? registered;
  if (name === 'local' || !settings) return null;
  return { ...knownProvider(name, settings), isPublic: stored !== null && !config.webhooks.allowPrivate };
}

function noBrowser(name: string): never {
  throw applicationError(`The provider ${name} accepts tokens only, because it is registered without grantConfig`);
}

async function begin(provider: KnownProvider, callback: string, content: ContentContext) {
  const { address, flow } = await beginCodeFlow(provider, callback);
  const browser = makeCode(32);
  const { state, nonce, verifier } = flow;
  const value: LoginState = { provider: provider.name, browser: hashCode(browser), nonce, verifier };
  const expiresAt = new Date(Date.now() + patience);
  await putLoginState(content.store.database, { _id: hashCode(state), value, expiresAt });
  return { address, browser };
}

async function finish(provider: KnownProvider, { address, browser }: Returned, content: ContentContext): Promise<FlowTokens> {
  const state = address.searchParams.get('state') ?? '';
  const begun = await takeLoginState<LoginState>(content.store.database, hashCode(state));
  if (begun === null || begun.provider !== provider.name || begun.browser !== hashCode(browser))
    throw validationError('This login was not started here, or took too long');
  return finishCodeFlow(provider, address, { state, nonce: begun.nonce, verifier: begun.verifier });
}
