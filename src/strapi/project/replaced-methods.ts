import { userUid } from '#accounts/user-store.js';
import type { FetchUser } from '#content/rights/authenticate.js';
import type { CodeRegistry } from '../routes/code-registry.js';
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
      return [`${place}: requests call those of Mangrove; replace the action of the controller, or subscribe to lifecycles`];
    }),
  );
