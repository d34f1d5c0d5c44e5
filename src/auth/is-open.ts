import { collections } from '../schema/collections.js';
import type { Config } from '../config/config.js';
import { cacheUntilChanged } from '../mongo/changes.js';
import type { Logger } from '../logger.js';
import { type Database, readAll } from '../mongo/database.js';
import type { Backend } from '../mongo/models/open-backend.js';
import { fullAccess, type Access } from '../query/access.js';
import { readRoles } from './read-roles.js';
import type { Roles } from './role.js';

const roleActions = ['createRole', 'updateRole', 'deleteRole'].map((name) => `plugin::users-permissions.role.${name}`);
const userActions = ['create', 'update', 'destroy'].map((name) => `plugin::users-permissions.user.${name}`);

/**
 * Access of everybody if the configuration opens the service: all actions except changes of roles, which would outlast the
 * setting.
 */
const openAccess: Access = { ...fullAccess, grants: { kind: 'all', except: new Set(roleActions) } };

/** Access while the service opens itself. Users cannot be changed either, because their existence closes the service. */
const localAccess: Access = { ...fullAccess, grants: { kind: 'all', except: new Set([...roleActions, ...userActions]) } };

/** The access that an open service grants to the public and to users, or how to find it for a request; null if it is not open. */
export type OpenAccess = Access | ((roles: Roles, isLocal: () => boolean) => Promise<Access | null>) | null;

interface OpenAccessInput {
  readonly config: Config;
  readonly backend: Backend;
  readonly logger: Pick<Logger, 'warn'>;
  /** Whether the database is the one that the service starts itself. */
  readonly isEmbedded: boolean;
}

/**
 * The service is open to everybody if `api.open` says so. If it says nothing, the service is open to programs of this machine, as long
 * as it runs outside of production on its embedded database, and there is neither a user nor a grant besides the defaults.
 */
export function createOpenAccess({ config, backend, logger, isEmbedded }: OpenAccessInput): OpenAccess {
  const { open } = config.api;
  if (open === true) return openAccess;
  if (open === false || !mayOpenItself(config, isEmbedded)) return null;
  const hasUsers = cacheUntilChanged(backend.store.changes, [collections.users], () => readHasUsers(backend.store.database));
  let wasOpen = false;
  return async (roles, isLocal) => {
    const isOpen = !roles.areConfigured && !(await hasUsers());
    if (wasOpen && !isOpen)
      logger.warn(
        {},
        'There is a user or a grant now: the service is no longer open, and callers have the rights of their role only',
      );
    wasOpen = isOpen;
    return isOpen && isLocal() ? localAccess : null;
  };
}

/** To whom the service is open. */
export type Audience = 'everybody' | 'local' | 'nobody';

/** Reads to whom the service is open now. */
export async function readAudience({ config, backend, isEmbedded }: Omit<OpenAccessInput, 'logger'>): Promise<Audience> {
  const { open } = config.api;
  if (open !== null) return open ? 'everybody' : 'nobody';
  if (!mayOpenItself(config, isEmbedded)) return 'nobody';
  const { database } = backend.store;
  const [roles, hasUsers] = await Promise.all([readRoles(database), readHasUsers(database)]);
  return roles.areConfigured || hasUsers ? 'nobody' : 'local';
}

async function readHasUsers(database: Database): Promise<boolean> {
  const rows = await readAll(database, { find: collections.users, limit: 1, projection: { _id: 1 } });
  return rows.length > 0;
}

/** Whether the service is open without being asked, as long as nothing else closes it. */
const mayOpenItself = ({ environment, plugins }: Config, isEmbedded: boolean): boolean =>
  isEmbedded && environment !== 'production' && plugins['users-permissions'].enabled;
