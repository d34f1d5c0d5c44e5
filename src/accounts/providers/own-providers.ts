import type { Config } from '#settings/config.js';
import type { ProviderSettings } from '#settings/provider-settings.js';
import { ApiError, applicationError } from '#base/errors.js';
import { isRecord, mapValues, type Values } from '#base/values.js';
import { isSafeAddress, providerFailure } from './call-provider.js';
import { identityOf, type Identity } from './identity.js';

/** The stored settings of providers by name, in the form of Strapi v4: `enabled`, `key`, `secret`, `callback`, `scope`, `subdomain`. */
export type Grants = Readonly<Record<string, Values>>;

/** A token that the code of a project may know. */
interface ForeignToken {
  readonly accessToken: string | null;
  /** The query of the request. */
  readonly query: Values;
}

/** Such a token, and the stored settings of providers by name. */
interface GrantedToken extends ForeignToken {
  readonly grants: Grants;
}

/** What code of a project receives to find the user of a token. */
interface AuthCallbackInput extends ForeignToken {
  /** The settings of providers by name, in the form of Strapi v4: `key`, `secret`, `callback`. */
  readonly providers: Values;
  readonly purest: () => never;
}

/** Code of a project that returns the user of a token: `{ username, email, id?, verified? }`. */
type AuthCallback = (input: AuthCallbackInput) => unknown;

/** A provider that code of a project has registered. */
interface OwnProvider {
  readonly name: string;
  /** Settings of the login in a browser; null if the provider only accepts tokens. */
  readonly settings: ProviderSettings | null;
  readonly authCallback: AuthCallback;
}

/** By the settings of plugins, because the configuration itself is replaced when code has registered custom fields. */
const registered = new WeakMap<Config['plugins'], Map<string, OwnProvider>>();

/** Returns the provider that code has registered under a name; undefined if there is none. */
export const ownProvider = ({ plugins }: Config, name: string): OwnProvider | undefined => registered.get(plugins)?.get(name);

/**
 * Registers a provider: a function that returns its `authCallback`, as in Strapi v4, or `{ authCallback, grantConfig }`. Throws a
 * TypeError for anything else.
 */
export function registerProvider({ plugins }: Config, name: unknown, provider: unknown): void {
  if (typeof name !== 'string' || !/^[\w.-]+$/.test(name) || name === 'local')
    throw new TypeError(`a provider needs a name of letters, digits, dots and hyphens, not ${JSON.stringify(name)}`);
  const own = readProvider(name, provider);
  registered.set(plugins, (registered.get(plugins) ?? new Map<string, OwnProvider>()).set(name, own));
}

function readProvider(name: string, provider: unknown): OwnProvider {
  const isFunction = typeof provider === 'function';
  const { authCallback, grantConfig } = isRecord(provider) ? provider : {};
  const callback: unknown = isFunction ? (provider as (parts: object) => unknown)({ purest }) : authCallback; // given by code
  if (typeof callback !== 'function') throw new TypeError(`the provider ${name} needs a function authCallback`);
  return { name, settings: isRecord(grantConfig) ? ofGrant(name, grantConfig) : null, authCallback: callback as AuthCallback }; // given by code
}

/** Returns the provider that settings in the form of Strapi v4 describe. Throws a TypeError that says what is missing. */
export function ofGrant(name: string, { key, secret, callback, scope, ...rest }: Values): ProviderSettings {
  const { authorize_url: authorizeUrl, access_url: tokenUrl, profile_url: userInfoUrl } = rest;
  for (const [part, value] of Object.entries({ key, authorize_url: authorizeUrl, access_url: tokenUrl }))
    if (typeof value !== 'string' || value === '')
      throw new TypeError(`grantConfig.${part} of the provider ${name} must be a text`);
  for (const [part, value] of Object.entries({ authorize_url: authorizeUrl, access_url: tokenUrl, profile_url: userInfoUrl }))
    if (typeof value === 'string' && !isSafeAddress(value))
      throw new TypeError(`grantConfig.${part} of the provider ${name} must be an address that begins with https://`);
  const redirect = appAddress(callback);
  return {
    clientId: String(key),
    authorizeUrl: String(authorizeUrl),
    tokenUrl: String(tokenUrl),
    scope: [scope ?? []].flat().join(' '),
    ...(typeof secret === 'string' && { clientSecret: secret }),
    ...(typeof userInfoUrl === 'string' && { userInfoUrl }),
    ...(redirect !== null && { redirect }),
  };
}

/** Returns the address of the app to which a browser returns; null if `callback` is a path of the service, or no address. */
export const appAddress = (callback: unknown): string | null =>
  typeof callback === 'string' && /^https?:\/\//.test(callback) && URL.canParse(callback) ? callback : null;

const purest = (): never => {
  throw new Error('purest is not offered: use fetch');
};

/** Returns what the code of a provider returns for a token. */
export const runProvider = async (
  config: Config,
  { authCallback }: OwnProvider,
  { accessToken, query, grants }: GrantedToken,
): Promise<unknown> => authCallback({ accessToken, query, providers: { ...grants, ...grantsOf(config, grants) }, purest });

/**
 * Returns the identity that the code of a provider finds. Without an `id` users are known by address. Throws a 400 with the message
 * of an Error of the code, and a 502 for other errors and results.
 */
export async function identityByCode(config: Config, own: OwnProvider, token: GrantedToken): Promise<Identity> {
  const { name } = own;
  const profile = await runProvider(config, own, token).catch((error: unknown) => {
    if (error instanceof ApiError) throw error;
    throw error instanceof Error && error.name === 'Error'
      ? applicationError(error.message)
      : providerFailure(name, error instanceof Error ? error.name : 'unknown');
  });
  if (!isRecord(profile)) throw providerFailure(name, 'authCallback returned no user');
  const { id, email } = profile;
  return identityOf(name, { ...profile, id: id ?? String(email ?? '').toLowerCase() }, { id: 'id', verified: 'verified' });
}

/** Returns whether settings of a provider have a client id and a client secret. */
export const hasClient = (grant: Values): grant is Values & { readonly key: string; readonly secret: string } =>
  [grant['key'], grant['secret']].every((value) => typeof value === 'string' && value !== '');

/**
 * Returns the settings, in the form of Strapi v4, of the providers of the configuration, and of those that code has registered. For the
 * latter the stored ones decide `enabled`. Providers of code whose stored settings are in force are left out: those that have a client,
 * and those of code that has registered no settings.
 */
export function grantsOf({ plugins }: Config, stored: Grants): Grants {
  const own = [...(registered.get(plugins) ?? [])].flatMap(([name, { settings }]): readonly (readonly [string, Values])[] => {
    const grant = Object.hasOwn(stored, name) ? stored[name] : undefined;
    if (grant !== undefined && (settings === null || hasClient(grant))) return [];
    return [[name, { ...(settings && grantOf(settings)), enabled: grant === undefined || grant['enabled'] === true }]];
  });
  const configured = mapValues(plugins['users-permissions'].config.providers, (settings) => grantOf(settings));
  return { ...Object.fromEntries(own), ...configured };
}

const grantOf = ({ clientId, clientSecret, redirect, scope, ...settings }: ProviderSettings): Values => ({
  ...settings,
  ...addressesOf(settings),
  enabled: true,
  key: clientId,
  secret: clientSecret,
  callback: redirect,
  scope: scope?.split(' ') ?? [],
});

/** Returns the addresses of a provider by their names in Strapi v4. */
export const addressesOf = ({ authorizeUrl, tokenUrl, userInfoUrl }: Partial<ProviderSettings>): Values => ({
  ...(authorizeUrl !== undefined && { authorize_url: authorizeUrl }),
  ...(tokenUrl !== undefined && { access_url: tokenUrl }),
  ...(userInfoUrl !== undefined && { profile_url: userInfoUrl }),
});
