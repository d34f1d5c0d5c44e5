import type { Config } from '../config/config.js';
import { readAll } from '../mongo/database.js';
import type { Backend } from '../mongo/open-backend.js';
import { usersCollection } from './known-user.js';
import { keep } from './keep.js';
import type { Roles } from './role.js';

/**
 * Whether everybody may do everything: where the configuration says so; where it says nothing, in development as long as there is
 * no user and nothing was granted but the defaults.
 */
export function openness(config: Config, backend: Backend): (roles: Roles) => Promise<boolean> {
  const { open } = config.api;
  if (open !== null) return () => Promise.resolve(open);
  if (config.environment === 'production' || !config.plugins['users-permissions'].enabled) return () => Promise.resolve(false);
  const hasUsers = keep(backend, [usersCollection], async () => {
    const rows = await readAll(backend.store.database, { find: usersCollection, limit: 1, projection: { _id: 1 } });
    return rows.length > 0;
  });
  return async (roles) => !roles.areConfigured && !(await hasUsers());
}
