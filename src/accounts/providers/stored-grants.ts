import { isDeepStrictEqual } from 'node:util';
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
import { grantsOf, ofGrant } from './own-providers.js';
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

/** Returns whether the configuration has a provider. It wins over a stored one of the same name. */
export const isConfigured = (name: string, { plugins }: Config): boolean =>
  Object.hasOwn(plugins['users-permissions'].config.providers, name);

/** The settings of all providers: those that are stored, and those that are shown to who changes them. */
interface ShownGrants {
  readonly stored: Grants;
  readonly shown: Grants;
}

/**
 * Reads the settings of all providers. Shown are the defaults of Strapi v4 for those that are not stored, and as they are in force, without
 * secrets, those of the configuration and those of code that are not stored.
 */
async function shownIn(config: Config, database: Database): Promise<ShownGrants> {
  const stored = (await storedGrants(database)) ?? {};
  const inForce = Object.entries(grantsOf(config)).filter(([name]) => isConfigured(name, config) || !Object.hasOwn(stored, name));
  const shown = inForce.map(([name, { key = '', callback = '', scope = [] }]) => [
    name,
    { icon: '', ...defaults[name], ...stored[name], enabled: true, key, secret: '', callback, scope },
  ]);
  return { stored, shown: { ...defaults, ...stored, ...(Object.fromEntries(shown) as Grants) } };
}

/** Reads the settings of all providers as they are in force. */
export const readGrants = async (config: Config, database: Database): Promise<Grants> => (await shownIn(config, database)).shown;

/**
 * Returns a function that returns the settings of all providers that are stored. The defaults are not among them: they would switch off
 * providers of the same names that code has registered.
 */
export const grantsIn = ({ database, changes }: Store): (() => Promise<Grants>) =>
  cacheUntilChanged(changes, [collections.codeStore], async () => (await storedGrants(database)) ?? {});

/** Returns settings without the address that the answers of the panel add. */
export const withoutAddress = (grant: Values): Values =>
  Object.fromEntries(Object.entries(grant).filter(([setting]) => setting !== 'redirectUri'));

const isSetting = (value: unknown): boolean =>
  Array.isArray(value) ? value.every((item) => typeof item === 'string') : typeof value !== 'object' || value === null;

/**
 * Stores the settings of all providers, and logs which of them are switched on and log nobody in. What is stored stays for those that are
 * as `readGrants` has returned them. Throws a ValidationError for settings of another form.
 */
export async function writeGrants(grants: unknown, config: Config, { store, notices }: ContentContext): Promise<void> {
  if (!isRecord(grants)) throw validationError('providers must be an object');
  const entries = Object.entries(grants).map(([name, grant]) => {
    if (!isRecord(grant)) throw validationError(`providers.${name} must be an object`);
    const wrong = Object.keys(grant).find((setting) => !isSetting(grant[setting]));
    if (wrong !== undefined)
      throw validationError(`providers.${name}.${wrong} must be a text, a number, a boolean or a list of texts`);
    return [name, withoutAddress(grant)] as const;
  });
  const { database, changes } = store;
  const { stored, shown } = await shownIn(config, database);
  const kept = entries.flatMap(([name, grant]) => {
    const next = isDeepStrictEqual(grant, shown[name]) ? stored[name] : grant;
    return next === undefined ? [] : [[name, next] as const];
  });
  await openCodeStore(database).set(grantKey, Object.fromEntries(kept));
  await afterCommit(database, async () => {
    changes.changed(collections.codeStore);
  });
  for (const [name, grant] of kept) for (const problem of grantProblems(name, grant, config)) notices.tell(problem);
}

/** Returns why a provider that is switched on logs nobody in; nothing if it does. */
export function grantProblems(name: string, grant: Values, config: Config): readonly string[] {
  if (grant['enabled'] !== true || name === 'email') return [];
  if (isConfigured(name, config)) return [];
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
