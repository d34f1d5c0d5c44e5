import { isDeepStrictEqual } from 'node:util';
import type { Config } from '#settings/config.js';
import { validationError } from '#base/errors.js';
import type { ContentContext } from '#content/content-context.js';
import { afterCommit } from '#store/send/around-commit.js';
import { cacheUntilChanged } from '#store/changes/changes.js';
import type { Store } from '#store/store.js';
import type { Database } from '#store/send/database.js';
import { openCodeStore, storeSetting } from '#store/stores/code-store.js';
import { jsonProblems } from '#model/schema/check-scalar.js';
import { collections } from '#model/schema/collections.js';
import { isRecord, mapValues, type Values } from '#base/values.js';
import { grantsOf } from './own-providers.js';
import { grantFaults, grantProblems, isConfigured, type Grants } from './read-grant.js';

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

/**
 * Stores the settings of all providers, and logs which of them are switched on and log nobody in. What is stored stays for those that are
 * as `readGrants` has returned them. Throws a ValidationError for changed settings of another form that the service reads; others are only
 * stored.
 */
export async function writeGrants(grants: unknown, config: Config, { store, notices }: ContentContext): Promise<void> {
  if (!isRecord(grants)) throw validationError('providers must be an object');
  const [problem] = jsonProblems(grants, 'providers');
  if (problem !== undefined) throw validationError(problem);
  const { stored, shown } = await shownIn(config, store.database);
  const kept = Object.entries(grants).flatMap(([name, grant]): readonly (readonly [string, Values])[] => {
    if (!isRecord(grant)) throw validationError(`providers.${name} must be an object`);
    if (isDeepStrictEqual(grant, shown[name])) return stored[name] === undefined ? [] : [[name, stored[name]]];
    const [fault] = grantFaults(name, grant);
    if (fault !== undefined) throw validationError(fault.message);
    return [[name, grant]];
  });
  await storeSetting(grantKey, Object.fromEntries(kept), store);
  await afterCommit(store.database, async () => {
    for (const [name, grant] of kept) for (const text of grantProblems(name, grant, config)) notices.tell(text);
  });
}
