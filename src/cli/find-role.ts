import { readRoles } from '../auth/read-roles.js';
import type { Role } from '../auth/role.js';
import type { OpenedService } from './open-service.js';

/** Returns all roles by their types. */
export const readRolesByType = async ({ store }: OpenedService): Promise<ReadonlyMap<string, Role>> =>
  (await readRoles(store.database)).byType;

/** Returns the role of a type. Throws an Error that names those that there are. */
export async function findRole(service: OpenedService, type: string): Promise<Role> {
  const roles = await readRolesByType(service);
  const role = roles.get(type);
  if (role === undefined) throw new Error(`there is no role ${type}; there are: ${[...roles.keys()].join(', ')}`);
  return role;
}
