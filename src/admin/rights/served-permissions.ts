import { memoizePair } from '#base/caches.js';
import type { Registry } from '#model/schema/content-type.js';
import { servedPath } from '#model/schema/served-names.js';
import type { PanelPermission } from './permission.js';

/** Returns a permission with the fields under the names that are served, because attributes may have been renamed. */
export function underServedPaths<Permission extends Pick<PanelPermission, 'subject' | 'properties'>>(
  permission: Permission,
  registry: Registry,
): Permission {
  const type = registry.types.get(permission.subject ?? '');
  const { fields } = permission.properties;
  if (type === undefined || fields === undefined) return permission;
  const served = fields.map((path) => servedPath(path, type, registry));
  return { ...permission, properties: { ...permission.properties, fields: [...new Set(served)] } };
}

/** Returns the permissions of all roles with the names that are served. */
export const servedPermissions: (byRole: Permissions, registry: Registry) => Permissions = memoizePair(
  (byRole, registry) =>
    new Map([...byRole].map(([role, permissions]) => [role, permissions.map((one) => underServedPaths(one, registry))])),
);

type Permissions = ReadonlyMap<number, readonly PanelPermission[]>;
