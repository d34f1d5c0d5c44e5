import { memoizePair } from '../../caches.js';
import { type ContentType, type Registry, servedAs } from '../../schema/content-type.js';
import type { PanelPermission } from './permission.js';

/** Returns a permission with the fields under the names that are served, because attributes may have been renamed. */
export function underServedPaths<Permission extends Pick<PanelPermission, 'subject' | 'properties'>>(
  permission: Permission,
  registry: Registry,
): Permission {
  const type = registry.types.get(permission.subject ?? '');
  const { fields } = permission.properties;
  if (type === undefined || fields === undefined) return permission;
  const served = fields.map((path) => servedPath(path.split('.'), type, registry));
  return { ...permission, properties: { ...permission.properties, fields: [...new Set(served)] } };
}

function servedPath([name = '', ...inner]: readonly string[], type: ContentType, registry: Registry): string {
  const served = servedAs(type, name);
  if (inner.length === 0) return served;
  const attribute = type.attributes.get(served);
  const part = attribute?.kind === 'component' ? registry.types.get(attribute.component) : undefined;
  return `${served}.${part === undefined ? inner.join('.') : servedPath(inner, part, registry)}`;
}

/** Returns the permissions of all roles with the names that are served. */
export const servedPermissions: (byRole: Permissions, registry: Registry) => Permissions = memoizePair(
  (byRole, registry) =>
    new Map([...byRole].map(([role, permissions]) => [role, permissions.map((one) => underServedPaths(one, registry))])),
);

type Permissions = ReadonlyMap<number, readonly PanelPermission[]>;
