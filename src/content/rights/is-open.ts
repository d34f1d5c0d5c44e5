import { collections } from '#model/schema/collections.js';
import type { Config } from '#settings/config.js';
import { cacheUntilChanged } from '#store/changes/changes.js';
import { commented } from '#store/send/database.js';
import type { Observer } from '#base/observe/observer.js';
import { isStored } from '#store/stored.js';
import type { Backend } from '#store/models/open-backend.js';
import { fullAccess, type Access } from '#model/query/access.js';
import { readRoles, type Roles } from './role.js';

const roleActions = ['createRole', 'updateRole', 'deleteRole'].map((name) => `plugin::users-permissions.role.${name}`);
const userActions = ['create', 'update', 'destroy'].map((name) => `plugin::users-permissions.user.${name}`);

/**
 * The access of everybody if the configuration opens the service. It excludes changes of roles, because they would outlast the
 * setting.
 */
export const openAccess: Access = { ...fullAccess, grants: { kind: 'all', except: new Set(roleActions) } };

/** The access while the service is open by default. Users cannot be changed either, because the first user closes the service. */
const localAccess: Access = { ...fullAccess, grants: { kind: 'all', except: new Set([...roleActions, ...userActions]) } };

/**
 * Returns the access that an open service grants to the public and to users; null if it is not open to the request. `roles` and
 * `isLocal` are called only if they matter.
 */
export type OpenAccess = (roles: () => Promise<Roles>, isLocal: () => boolean, requestId?: string) => Promise<Access | null>;

export interface OpenAccessInput {
  readonly config: Config;
  readonly backend: Backend;
  readonly observer: Observer;
  /** Whether the database is the one that the service starts itself. */
  readonly isEmbedded: boolean;
}

/**
 * Returns the function that finds the access to an open service; null if it is never open. With `api.open: true` it is open to
 * everybody. By default it is open to programs on this machine, if it runs outside of production with its embedded database, and
 * while there are neither users nor grants besides the defaults.
 */
export function createOpenAccess({ config, backend, observer, isEmbedded }: OpenAccessInput): OpenAccess | null {
  const { open } = config.api;
  if (open === true) return () => Promise.resolve(openAccess);
  if (open === false || !mayOpenItself(config, isEmbedded)) return null;
  const hasUsers = cacheUntilChanged(backend.store.changes, [collections.users], (comment) =>
    isStored(commented(backend.store.database, comment), collections.users),
  );
  let wasOpen = false;
  return async (roles, isLocal, requestId) => {
    const isOpen = !(await roles()).areConfigured && !(await hasUsers(requestId));
    if (wasOpen && !isOpen) observer.observe({ kind: 'warned', topic: 'access', text: closed });
    wasOpen = isOpen;
    return isOpen && isLocal() ? localAccess : null;
  };
}

const closed = 'There is a user or a grant now: the service is no longer open, and callers have only the rights of their role';

/** The clients that the service is open to. */
export type Audience = 'everybody' | 'local' | 'nobody';

/** Reads which clients the service is open to now. */
export async function readAudience({ config, backend, isEmbedded }: Omit<OpenAccessInput, 'observer'>): Promise<Audience> {
  const { open } = config.api;
  if (open !== null) return open ? 'everybody' : 'nobody';
  if (!mayOpenItself(config, isEmbedded)) return 'nobody';
  const { database } = backend.store;
  const [roles, hasUsers] = await Promise.all([readRoles(database), isStored(database, collections.users)]);
  return roles.areConfigured || hasUsers ? 'nobody' : 'local';
}

/** Returns whether the service is open by default, as long as there are no users and no further grants. */
const mayOpenItself = ({ environment, plugins }: Config, isEmbedded: boolean): boolean =>
  isEmbedded && environment !== 'production' && plugins['users-permissions'].enabled;
