import type { Config } from '#settings/config.js';
import type { ProviderSettings } from '#settings/provider-settings.js';
import type { Values } from '#base/values.js';
import { isSafeAddress } from './call-provider.js';
import { appAddress, type Grants, hasClient, ofGrant, ownProvider } from './own-providers.js';
import { isOpenId, knownProvider } from './ready-providers.js';

/** Returns whether the configuration has a provider. It wins over a stored one of the same name. */
export const isConfigured = (name: string, { plugins }: Config): boolean =>
  Object.hasOwn(plugins['users-permissions'].config.providers, name);

/** A setting of a provider that cannot be stored, with the reason. */
interface GrantFault {
  readonly setting: string;
  readonly message: string;
}

/** The settings that the service reads. All others are only stored. */
const settingsRead = ['enabled', 'key', 'secret', 'callback', 'scope', 'subdomain', 'authorize_url', 'access_url', 'profile_url'];

const isPlain = (value: unknown): boolean =>
  Array.isArray(value) ? value.every((item) => typeof item === 'string') : typeof value !== 'object' || value === null;

/** Returns the settings of a provider that cannot be stored: objects, and addresses of a provider that is switched on. */
export function grantFaults(name: string, grant: Values): readonly GrantFault[] {
  const isOn = grant['enabled'] === true;
  return settingsRead.flatMap((setting) => {
    const value = grant[setting];
    const form = isPlain(value)
      ? isOn && typeof value === 'string' && value !== '' && addressForm(name, setting, value)
      : 'a text, a number, a boolean or a list of texts';
    return typeof form === 'string' ? [{ setting, message: `providers.${name}.${setting} must be ${form}` }] : [];
  });
}

/** Returns the form that a text lacks; null if it has it. */
function addressForm(name: string, setting: string, text: string): string | null {
  if (setting === 'callback') return !text.startsWith('http') || appAddress(text) !== null ? null : 'a web address or a path';
  if (setting === 'subdomain') return isSubdomain(name, text) ? null : 'the name of a host';
  return setting.endsWith('_url') && !isSafeAddress(text) ? 'an address that begins with https://' : null;
}

/** Returns why a provider that is switched on logs nobody in; nothing if it does, as those of the configuration and of code. */
export function grantProblems(name: string, grant: Values, config: Config): readonly string[] {
  const isElsewhere = isConfigured(name, config) || ownProvider(config, name) !== undefined;
  if (grant['enabled'] !== true || name === 'email' || isElsewhere) return [];
  const provider = readGrant(name, grant);
  return typeof provider === 'string' ? [`the provider ${name} is switched on, but logs nobody in: ${provider}`] : [];
}

/** Returns the settings of a provider that is stored and switched on; null if there is none. Addresses of code fill in missing ones. */
export function grantedProvider(name: string, grants: Grants, addresses: Values = {}): ProviderSettings | null {
  const grant = Object.hasOwn(grants, name) ? grants[name] : undefined;
  if (grant?.['enabled'] !== true || name === 'email') return null;
  const provider = readGrant(name, { ...addresses, ...grant });
  return typeof provider === 'string' ? null : provider;
}

/** Returns whether a provider is stored and not switched on. One that was never stored is not switched off. */
export const isSwitchedOff = (name: string, grants: Grants): boolean =>
  Object.hasOwn(grants, name) && grants[name]?.['enabled'] !== true;

/** What the name of a provider tells of it. */
interface Form {
  /** The form of its `subdomain`; null if it has none. */
  readonly subdomain: RegExp | null;
  /** Returns its settings. */
  readonly at: (subdomain: string) => Partial<ProviderSettings>;
}

const hostName = /^[\w-]+(\.[\w-]+)*$/;
const hostAndPath = /^[\w-]+(\.[\w-]+)*(:\d+)?(\/[\w.~-]+)*$/;

/** The addresses are those of the ready provider of this name. */
const ready: Form = { subdomain: null, at: () => ({}) };

const atHost = (authorize: string, token: string, profile: string): Form => ({
  subdomain: hostAndPath,
  at: (host) => ({
    authorizeUrl: `https://${host}${authorize}`,
    tokenUrl: `https://${host}${token}`,
    userInfoUrl: `https://${host}${profile}`,
  }),
});

const patreon: Partial<ProviderSettings> = {
  authorizeUrl: 'https://www.patreon.com/oauth2/authorize',
  tokenUrl: 'https://www.patreon.com/api/oauth2/token',
  userInfoUrl: 'https://www.patreon.com/api/oauth2/v2/identity?fields%5Buser%5D=full_name,email,is_email_verified',
  profile: {
    ...{ id: 'data.id', email: 'data.attributes.email' },
    ...{ username: 'data.attributes.full_name', verified: 'data.attributes.is_email_verified' },
  },
};

/** What Strapi v4 knows of the providers by their names. */
const forms: Readonly<Record<string, Form>> = {
  ...{ google: ready, microsoft: ready, discord: ready, facebook: ready, github: ready },
  auth0: { subdomain: hostName, at: (host) => ({ issuer: `https://${host}.auth0.com/` }) },
  keycloak: { subdomain: hostAndPath, at: (host) => ({ issuer: `https://${host}` }) },
  cognito: atHost('/oauth2/authorize', '/oauth2/token', '/oauth2/userInfo'),
  cas: atHost('/oidc/authorize', '/oidc/token', '/oidc/profile'),
  patreon: { subdomain: null, at: () => patreon },
};

const formOf = (name: string): Form | undefined => (Object.hasOwn(forms, name) ? forms[name] : undefined);

/** Returns whether a text may be the subdomain of a provider. Of those that have none, any may be. */
function isSubdomain(name: string, text: unknown): boolean {
  const { subdomain, at } = formOf(name) ?? ready;
  if (subdomain === null) return true;
  if (typeof text !== 'string' || !subdomain.test(text)) return false;
  const { issuer, tokenUrl = issuer } = at(text);
  return URL.canParse(tokenUrl ?? '');
}

/** Returns the provider that settings of Strapi v4 describe; a text that says what is missing. */
function readGrant(name: string, grant: Values): ProviderSettings | string {
  if (!hasClient(grant)) return 'it needs key and secret';
  const { key, secret, subdomain = '', scope, callback, authorize_url: ownAddress } = grant;
  if (typeof ownAddress === 'string') {
    try {
      return ofGrant(name, grant);
    } catch (error) {
      return (error as Error).message;
    }
  }
  const form = formOf(name);
  if (form === undefined) return 'add it to plugins.users-permissions.config.providers of config/plugins';
  if (!isSubdomain(name, subdomain)) return 'its subdomain must be the name of a host';
  const known = form.at(String(subdomain));
  const provider = knownProvider(name, { clientId: key, ...known });
  const needed = isOpenId(provider) ? ['openid', 'email', 'profile'] : [];
  const scopes = [...new Set([...needed, ...[scope ?? []].flat().map(String)])].join(' ');
  const redirect = appAddress(callback);
  return {
    ...{ clientId: key, clientSecret: secret, ...known },
    ...(scopes !== '' && { scope: scopes }),
    ...(redirect !== null && { redirect }),
  };
}
