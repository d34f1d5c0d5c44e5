import type { Config } from '../../config/config.js';
import type { ProviderSettings } from '../../config/provider-settings.js';
import { validationError } from '../../errors.js';
import type { ContentContext } from '../../content/content-context.js';
import { afterCommit } from '../../mongo/send/around-commit.js';
import { cacheUntilChanged } from '../../mongo/changes/changes.js';
import type { Store } from '../../mongo/store.js';
import type { Database } from '../../mongo/send/database.js';
import { openCodeStore } from '../../mongo/stores/code-store.js';
import { collections } from '../../schema/collections.js';
import { isRecord, mapValues, type Values } from '../../values.js';
import { ofGrant } from './own-providers.js';
import { isOpenId, knownProvider } from './ready-providers.js';

/** The key of the log-in providers in the store of Strapi v4. */
export const grantKey = 'plugin_users-permissions_grant';

/** The stored settings of providers by name, in the form of Strapi v4: `enabled`, `key`, `secret`, `callback`, `scope`, `subdomain`. */
export type Grants = Readonly<Record<string, Values>>;

/** [icon, scope, further settings] of the providers that the panel lists. */
type Listed = readonly [icon: string, scope: readonly string[] | null, more?: Values];

const listed: Readonly<Record<string, Listed>> = {
  discord: ['discord', ['identify', 'email']],
  facebook: ['facebook-square', ['email']],
  google: ['google', ['email']],
  github: ['github', ['user', 'user:email']],
  microsoft: ['windows', ['user.read']],
  twitter: ['twitter', null],
  instagram: ['instagram', ['user_profile']],
  vk: ['vk', ['email']],
  twitch: ['twitch', ['user:read:email']],
  linkedin: ['linkedin', ['r_liteprofile', 'r_emailaddress']],
  cognito: ['aws', ['email', 'openid', 'profile'], { subdomain: 'my.subdomain.com' }],
  reddit: ['reddit', ['identity'], {}],
  auth0: ['', ['openid', 'email', 'profile'], { subdomain: 'my-tenant.eu' }],
  cas: ['book', ['openid email'], { subdomain: 'my.subdomain.com/cas' }],
  patreon: ['', ['identity', 'identity[email]'], {}],
  keycloak: ['', ['openid', 'email', 'profile'], { subdomain: 'myKeycloakProvider.com/realms/myrealm' }],
};

/** Returns the settings of a provider that was never changed. Some have the name `callback` for their address. */
function defaultsOf(name: string, [icon, scope, more]: Listed): Values {
  const address = `api/auth/${name}/callback`;
  return {
    ...{ icon, enabled: false, key: '', secret: '' },
    ...(more === undefined ? { callbackUrl: address } : { ...more, callback: address }),
    ...(scope !== null && { scope }),
  };
}

const defaults: Grants = {
  email: { icon: 'envelope', enabled: true },
  ...mapValues(listed, (row, name) => defaultsOf(name, row)),
};

/** Returns the settings of all providers that are stored; null if none ever were. */
async function storedGrants(database: Database): Promise<Grants | null> {
  const stored = await openCodeStore(database).get(grantKey);
  if (!isRecord(stored)) return null;
  return Object.fromEntries(Object.entries(stored).filter((entry): entry is [string, Values] => isRecord(entry[1])));
}

/** Reads the settings of all providers for those who change them; the defaults of Strapi v4 if none were stored. */
export const readGrants = async (database: Database): Promise<Grants> => (await storedGrants(database)) ?? defaults;

/**
 * Returns a function that returns the settings of all providers that are stored. The defaults are not among them: they would switch off
 * providers of the same names that code has registered.
 */
export const grantsIn = ({ database, changes }: Store): (() => Promise<Grants>) =>
  cacheUntilChanged(changes, [collections.codeStore], async () => (await storedGrants(database)) ?? {});

const isSetting = (value: unknown): boolean =>
  Array.isArray(value) ? value.every((item) => typeof item === 'string') : typeof value !== 'object' || value === null;

/**
 * Stores the settings of all providers, and logs which of them are switched on and log nobody in. Throws a ValidationError for settings of
 * another form.
 */
export async function writeGrants(grants: unknown, config: Config, { store, notices }: ContentContext): Promise<void> {
  if (!isRecord(grants)) throw validationError('providers must be an object');
  const entries = Object.entries(grants).map(([name, grant]) => {
    if (!isRecord(grant)) throw validationError(`providers.${name} must be an object`);
    const wrong = Object.keys(grant).find((setting) => !isSetting(grant[setting]));
    if (wrong !== undefined)
      throw validationError(`providers.${name}.${wrong} must be a text, a number, a boolean or a list of texts`);
    const { redirectUri, ...stored } = grant;
    return [name, stored, redirectUri] as const;
  });
  const { database, changes } = store;
  await openCodeStore(database).set(grantKey, Object.fromEntries(entries));
  await afterCommit(database, async () => {
    changes.changed(collections.codeStore);
  });
  for (const [name, grant] of entries) for (const problem of grantProblems(name, grant, config)) notices.tell(problem);
}

/** Returns why a provider that is switched on logs nobody in; nothing if it does. */
export function grantProblems(name: string, grant: Values, { plugins }: Config): readonly string[] {
  if (grant['enabled'] !== true || name === 'email') return [];
  if (Object.hasOwn(plugins['users-permissions'].config.providers, name)) return [];
  const provider = readGrant(name, grant);
  return typeof provider === 'string' ? [`the provider ${name} is switched on, but logs nobody in: ${provider}`] : [];
}

/** Returns the settings of a provider that is stored and switched on; null if there is none. */
export function grantedProvider(name: string, grants: Grants): ProviderSettings | null {
  const grant = Object.hasOwn(grants, name) ? grants[name] : undefined;
  if (grant?.['enabled'] !== true || name === 'email') return null;
  const provider = readGrant(name, grant);
  return typeof provider === 'string' ? null : provider;
}

/** Returns whether a provider is stored and not switched on. One that was never stored is not switched off. */
export const isSwitchedOff = (name: string, grants: Grants): boolean =>
  Object.hasOwn(grants, name) && grants[name]?.['enabled'] !== true;

/** Returns what the name of a provider tells of it, besides its `subdomain`. */
type Form = (host: string) => Partial<ProviderSettings>;

/** The addresses are those of the ready provider of this name. */
const ready: Form = () => ({});

const atHost =
  (authorize: string, token: string, profile: string): Form =>
  (host) => ({
    authorizeUrl: `https://${host}${authorize}`,
    tokenUrl: `https://${host}${token}`,
    userInfoUrl: `https://${host}${profile}`,
  });

/** What Strapi v4 knows of the providers by their names. */
const forms: Readonly<Record<string, Form>> = {
  ...{ google: ready, microsoft: ready, discord: ready, facebook: ready, github: ready },
  auth0: (host) => ({ issuer: `https://${host}.auth0.com/` }),
  keycloak: (host) => ({ issuer: `https://${host}` }),
  cognito: atHost('/oauth2/authorize', '/oauth2/token', '/oauth2/userInfo'),
  cas: atHost('/oidc/authorize', '/oidc/token', '/oidc/profile'),
  patreon: () => ({
    authorizeUrl: 'https://www.patreon.com/oauth2/authorize',
    tokenUrl: 'https://www.patreon.com/api/oauth2/token',
    userInfoUrl: 'https://www.patreon.com/api/oauth2/v2/identity?fields%5Buser%5D=full_name,email,is_email_verified',
    profile: {
      ...{ id: 'data.id', email: 'data.attributes.email' },
      ...{ username: 'data.attributes.full_name', verified: 'data.attributes.is_email_verified' },
    },
  }),
};

const host = /^[\w-]+(\.[\w-]+)*(:\d+)?(\/[\w.~-]+)*$/;

/** Returns the provider that settings of Strapi v4 describe; a text that says what is missing. */
function readGrant(name: string, grant: Values): ProviderSettings | string {
  const { key, secret, subdomain = '', scope, callback, authorize_url: ownAddress } = grant;
  if (typeof key !== 'string' || key === '' || typeof secret !== 'string' || secret === '') return 'it needs key and secret';
  if (typeof ownAddress === 'string') {
    try {
      return ofGrant(name, grant);
    } catch (error) {
      return (error as Error).message;
    }
  }
  const form = Object.hasOwn(forms, name) ? forms[name] : undefined;
  if (form === undefined) return 'add it to plugins.users-permissions.config.providers of config/plugins';
  if (form.length > 0 && (typeof subdomain !== 'string' || !host.test(subdomain)))
    return 'its subdomain must be the name of a host';
  const known = form(String(subdomain));
  const provider = knownProvider(name, { clientId: key, ...known });
  const needed = isOpenId(provider) ? ['openid', 'email', 'profile'] : [];
  const scopes = [...new Set([...needed, ...[scope ?? []].flat().map(String)])].join(' ');
  return {
    ...{ clientId: key, clientSecret: secret, ...known },
    ...(scopes !== '' && { scope: scopes }),
    ...(typeof callback === 'string' && /^https?:\/\//.test(callback) && { redirect: callback }),
  };
}
