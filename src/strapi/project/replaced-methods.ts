import type { FetchUser } from '#content/rights/authenticate.js';
import type { CodeRegistry } from '../routes/code-registry.js';
import { decodeId, mapValues } from '#base/values.js';
import type { PluginServices } from '../services/plugin-services.js';

type Registry = Pick<CodeRegistry, 'get' | 'uids'>;

/** The methods of replaced services of users-permissions that requests call, by the name of the service. */
const called = { user: 'fetchAuthenticatedUser', jwt: 'verify' } as const;

/** Returns the method of a service of users that requests call, with its service; null unless an extension has replaced it. */
function replaced(
  key: keyof typeof called,
  registry: Registry,
  services: PluginServices,
): ((argument: unknown) => unknown) | null {
  const name = called[key];
  const service = registry.get('service', `plugin::users-permissions.${key}`);
  const method: unknown = service?.[name];
  if (typeof method !== 'function' || method === services['users-permissions']?.[key]?.[name]) return null;
  return (argument) => (method as (argument: unknown) => unknown).call(service, argument); // the form of these methods
}

/** Returns `fetchAuthenticatedUser` of the user service; null unless an extension has replaced it. */
export function replacedFetch(registry: Registry, services: PluginServices): FetchUser | null {
  const fetch = replaced('user', registry, services);
  return fetch && (async (id) => ((await fetch(id)) ?? null) as Awaited<ReturnType<FetchUser>>); // the form of the method
}

/** Returns the id of the user in a token, 0 if it names none; null if its sender is to be the public. */
export type ReadToken = (token: string) => Promise<number | null>;

/** Returns what reads the id in a token by `verify` of the jwt service; null unless an extension has replaced it. */
export function replacedVerify(registry: Registry, services: PluginServices): ReadToken | null {
  const verify = replaced('jwt', registry, services);
  if (verify === null) return null;
  return async (token) => {
    const payload = await verify(token);
    return payload === null || payload === undefined ? null : decodeId(Reflect.get(Object(payload) as object, 'id'));
  };
}

const instead = 'replace the action of the controller, or subscribe to lifecycles';

/** Returns the services, which call `log` with a line when code replaces one of their methods: only code calls that then, not requests. */
export const tellingServices = (services: PluginServices, log: (text: string) => void): PluginServices =>
  mapValues(services, (members, plugin) =>
    mapValues(members, (service, key) => {
      const place = `strapi.plugin('${plugin}').service('${key}')`;
      const set = (target: typeof service, name: string | symbol, value: unknown): boolean => {
        if (typeof name === 'string' && name in target && typeof target[name] === 'function' && value !== target[name])
          log(`${place}.${name} is replaced for code alone: requests call that of Mangrove; ${instead}`);
        return Reflect.set(target, name, value);
      };
      return new Proxy(service, { set });
    }),
  );

/** Returns a line for each service of Mangrove in which extensions have replaced methods that only code calls, not requests. */
export const replacedMethods = (registry: Registry, services: PluginServices): readonly string[] =>
  Object.entries(services).flatMap(([plugin, members]) =>
    Object.entries(members).flatMap(([key, service]) => {
      const uid = `plugin::${plugin}.${key}`;
      const written = registry.uids('service').includes(uid) ? registry.get('service', uid) : undefined;
      if (written === undefined) return [];
      const isReplaced = (name: string): boolean =>
        typeof service[name] === 'function' && typeof written[name] === 'function' && written[name] !== service[name];
      const own: string | undefined =
        plugin === 'users-permissions' ? (called as Readonly<Record<string, string>>)[key] : undefined;
      const names = Object.keys(service).filter((name) => name !== own && isReplaced(name));
      if (names.length === 0) return [];
      const place = `src/extensions/${plugin} replaces ${names.join(', ')} of the service ${key} for code alone`;
      return [`${place}: requests call those of Mangrove; ${instead}`];
    }),
  );
