import { userUid } from '#accounts/user-store.js';
import type { FetchUser } from '#content/rights/authenticate.js';
import type { CodeRegistry } from '../routes/code-registry.js';
import { mapValues } from '#base/values.js';
import type { PluginServices } from '../services/plugin-services.js';

type Registry = Pick<CodeRegistry, 'get' | 'uids'>;

/** The methods of replaced services that requests call, by the uid of the service. */
const called: Readonly<Record<string, string>> = { [userUid]: 'fetchAuthenticatedUser' };

/** Returns `fetchAuthenticatedUser` of the user service; null unless an extension has replaced it. */
export function replacedFetch(registry: Registry, services: PluginServices): FetchUser | null {
  const service = registry.get('service', userUid);
  const fetch: unknown = service?.['fetchAuthenticatedUser'];
  if (typeof fetch !== 'function' || fetch === services['users-permissions']?.['user']?.['fetchAuthenticatedUser']) return null;
  return async (id) => ((await (fetch as (id: number) => unknown).call(service, id)) ?? null) as Awaited<ReturnType<FetchUser>>; // the form of the method
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
      const names = Object.keys(service).filter((name) => name !== called[uid] && isReplaced(name));
      if (names.length === 0) return [];
      const place = `src/extensions/${plugin} replaces ${names.join(', ')} of the service ${key} for code alone`;
      return [`${place}: requests call those of Mangrove; ${instead}`];
    }),
  );
