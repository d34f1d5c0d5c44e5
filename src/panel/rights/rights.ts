import { type Administrator, superAdminCode } from '../administrators/administrator.js';
import type { Panel } from '../panel.js';
import { explorer } from './actions.js';
import type { PanelPermission } from './permission.js';

/** The rights of an administrator: the permissions of all their roles. */
export interface Rights {
  readonly administrator: Administrator;
  /** Whether the administrator may do everything. */
  readonly isSuper: boolean;
  /** Empty for a super admin, whose permissions follow from the models. */
  readonly permissions: readonly PanelPermission[];
}

/** Returns the rights of an administrator. */
export async function rightsOf(administrator: Administrator, panel: Panel): Promise<Rights> {
  const isSuper = administrator.roles.some(({ code }) => code === superAdminCode);
  const byRole = await panel.permissions();
  return { administrator, isSuper, permissions: isSuper ? [] : administrator.roles.flatMap(({ id }) => byRole.get(id) ?? []) };
}

/** Returns the permissions for an action, on a subject if the action has one. */
export const permissionsFor = (
  { permissions }: Rights,
  action: string,
  subject: string | null = null,
): readonly PanelPermission[] =>
  permissions.filter((permission) => permission.action === action && permission.subject === subject);

/** Returns whether an action is allowed, perhaps only under conditions. */
export const may = (rights: Rights, action: string, subject: string | null = null): boolean =>
  rights.isSuper || permissionsFor(rights, action, subject).length > 0;

/** Returns the paths of attributes of a type that an administrator may read. */
export const fieldsFor = (rights: Rights, uid: string): ReadonlySet<string> =>
  new Set(permissionsFor(rights, `${explorer}.read`, uid).flatMap(({ properties }) => properties.fields ?? []));
