import { userUid } from '../../accounts/user-store.js';
import type { FetchUser } from '../../auth/authenticate.js';
import type { CodeRegistry } from './code-registry.js';
import type { PluginServices } from '../services/plugin-services.js';

/** Returns `fetchAuthenticatedUser` of the user service; null unless an extension has replaced it. */
export function replacedFetch(registry: Pick<CodeRegistry, 'get'>, services: PluginServices): FetchUser | null {
  const service = registry.get('service', userUid);
  const fetch: unknown = service?.['fetchAuthenticatedUser'];
  if (typeof fetch !== 'function' || fetch === services['users-permissions']?.['user']?.['fetchAuthenticatedUser']) return null;
  return async (id) => ((await (fetch as (id: number) => unknown).call(service, id)) ?? null) as Awaited<ReturnType<FetchUser>>; // the form of the method
}
