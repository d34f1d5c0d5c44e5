import { isDeepStrictEqual } from 'node:util';
import type { Config } from '#settings/config.js';
import { fieldErrors, validationError } from '#base/errors.js';
import type { ContentContext } from '#content/content-context.js';
import { cacheUntilChanged } from '#store/changes/changes.js';
import type { Store } from '#store/store.js';
import type { Database } from '#store/send/database.js';
import { afterCommit } from '#store/send/transaction.js';
import { openCodeStore, storeSetting } from '#store/stores/code-store.js';
import { jsonProblems } from '#model/schema/check-json.js';
import { collections } from '#model/schema/collections.js';
import { isRecord, mapValues, type Values } from '#base/values.js';
import { type Grants, grantsOf } from './own-providers.js';
import { grantFaults, grantProblems, isConfigured } from './read-grant.js';

/** The key of the log-in providers in the store of Strapi v4. */
export const grantKey = 'plugin_users-permissions_grant';

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

/**
 * Returns the settings of all providers as they are in force: those that are stored, the defaults of Strapi v4 for others, and without
 * secrets those of the configuration and of code.
 */
function shownGrants(stored: Grants, config: Config): Grants {
  const fixed = mapValues(grantsOf(config, stored), ({ enabled, key = '', callback = '', scope = [], ...settings }, name) => {
    const addresses = addressNames
      .filter((address) => settings[address] !== undefined)
      .map((address) => [address, settings[address]]);
    return { icon: '', ...defaults[name], enabled, key, secret: '', callback, scope, ...Object.fromEntries(addresses) };
  });
  return { ...defaults, ...stored, ...fixed };
}

const addressNames = ['authorize_url', 'access_url', 'profile_url'];

/** Reads the settings of all providers as they are in force. */
export const readGrants = async (config: Config, database: Database): Promise<Grants> =>
  shownGrants((await storedGrants(database)) ?? {}, config);

/**
 * Returns a function that returns the settings of all providers that are stored. The defaults are not among them: they would switch off
 * providers of the same names that code has registered.
 */
export const grantsIn = ({ database, changes }: Store): (() => Promise<Grants>) =>
  cacheUntilChanged(changes, [collections.codeStore], async () => (await storedGrants(database)) ?? {});

/** Who changes settings: the code of a project, or the page of the panel, which has an own `redirectUri` for each provider. */
type Writer = 'code' | 'page';

/** Returns settings as a writer knows them. */
const viewOf = (grant: Values, writer: Writer): Values =>
  writer === 'page' ? Object.fromEntries(Object.entries(grant).filter(([setting]) => setting !== 'redirectUri')) : grant;

/**
 * Stores the settings of all providers, and logs which of them are switched on and log nobody in. What is stored stays for those that are
 * as `readGrants` has returned them. Throws a ValidationError for changed settings of another form that the service reads; others are only
 * stored. Changes that the configuration or code prevents are a ValidationError for the page, and a log line for code.
 */
export async function writeGrants(
  grants: unknown,
  config: Config,
  { store, notices }: ContentContext,
  writer: Writer = 'code',
): Promise<void> {
  const newGrants = readGivenGrants(grants, writer);
  const stored = (await storedGrants(store.database)) ?? {};
  const shown = shownGrants(stored, config);
  const changed = Object.entries(newGrants).filter(
    ([name, grant]) => !isDeepStrictEqual(grant, shown[name] && viewOf(shown[name], writer)),
  );
  const unchanged = Object.entries(stored).filter(([name]) => Object.hasOwn(newGrants, name));
  const kept: Grants = Object.fromEntries([...unchanged, ...changed]);
  const idle = idleChanges(changed, shownGrants(kept, config), config);
  const refused = writer === 'page' ? idle.map(([name, message]) => ({ path: ['providers', name], message })) : [];
  if (refused.length > 0) throw fieldErrors(refused);
  for (const [name, grant] of changed) for (const { message } of grantFaults(name, grant)) throw validationError(message);
  await storeSetting(grantKey, kept, store);
  await afterCommit(store.database, async () => {
    for (const [name, text] of idle)
      if (!isUnset(newGrants[name] ?? {})) notices.logOnce(`stored settings have no effect: ${text}`);
    for (const [name, grant] of Object.entries(kept))
      for (const text of grantProblems(name, grant, config)) notices.logOnce(text);
  });
}

/** Returns settings of providers as their writer knows them. Throws a ValidationError for values that are none. */
function readGivenGrants(grants: unknown, writer: Writer): Grants {
  if (!isRecord(grants)) throw validationError('providers must be an object');
  const [problem] = jsonProblems(grants, 'providers');
  if (problem !== undefined) throw validationError(problem);
  return mapValues(grants, (grant, name) => {
    if (!isRecord(grant)) throw validationError(`providers.${name} must be an object`);
    return viewOf(grant, writer);
  });
}

/** Returns the names of providers whose changed settings are not in force when they are stored, each with the reason. */
const idleChanges = (changed: readonly (readonly [string, Values])[], after: Grants, config: Config) =>
  changed
    .filter(([name, grant]) =>
      Object.entries(grant).some(([setting, value]) => !isDeepStrictEqual(value, after[name]?.[setting])),
    )
    .map(([name]) => [name, isConfigured(name, config) ? byConfig(name) : byCode(name)] as const);

const byConfig = (name: string): string =>
  `${name} is set by plugins.users-permissions.config.providers of config/plugins: change it there`;

const byCode = (name: string): string => `${name} is set by code that registers it: to replace its settings, set key and secret`;

/** Returns whether settings say nothing of a provider, as the defaults of Strapi v4, which its projects store for all. */
const isUnset = ({ enabled, key = '', secret = '' }: Values): boolean => enabled !== true && key === '' && secret === '';
