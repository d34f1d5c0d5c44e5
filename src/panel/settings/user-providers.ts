import { validationError } from '../../errors.js';
import type { Answer } from '../../http/route.js';
import { openCodeStore } from '../../mongo/stores/code-store.js';
import { isRecord, mapValues, type Values } from '../../values.js';
import type { PanelCall } from '../panel-route.js';
import { done, givenBody } from './user-role-routes.js';

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

const defaults: Readonly<Record<string, Values>> = {
  email: { icon: 'envelope', enabled: true },
  ...mapValues(listed, (row, name) => defaultsOf(name, row)),
};

/** The key of the providers in the store of Strapi v4. */
const key = 'plugin_users-permissions_grant';

/** Answers the settings of all providers, each with the address that it must redirect to. */
export async function readProviders({ content, running, request }: PanelCall): Promise<Answer> {
  const stored = await openCodeStore(content.store.database).get(key);
  const providers = isRecord(stored) ? stored : defaults;
  const base = `${request.address}${running.config.api.rest.prefix}/connect`;
  const shown = Object.entries(providers).map(([name, provider]) => [
    name,
    isRecord(provider) && name !== 'email' ? { ...provider, redirectUri: `${base}/${name}/callback` } : provider,
  ]);
  return { body: Object.fromEntries(shown) as Values };
}

/** Stores the settings of all providers. */
export async function changeProviders(call: PanelCall): Promise<Answer> {
  const { content, running } = call;
  const { providers } = givenBody(call);
  if (!isRecord(providers)) throw validationError('providers must be an object');
  const entries = Object.entries(providers).map(([name, provider]) => {
    if (!isRecord(provider)) throw validationError(`providers.${name} must be an object`);
    const { redirectUri, ...stored } = provider;
    return [name, stored, redirectUri] as const;
  });
  await openCodeStore(content.store.database).set(key, Object.fromEntries(entries));
  const usable = running.config.plugins['users-permissions'].config.providers;
  for (const [name, { enabled }] of entries)
    if (enabled === true && name !== 'email' && !Object.hasOwn(usable, name))
      content.notices.tell(
        `the provider ${name} is switched on in the panel, but logs nobody in; add it to plugins.users-permissions.config.providers`,
      );
  return done;
}
