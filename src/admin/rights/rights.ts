import { forbiddenError } from '#base/errors.js';
import { type Administrator, superAdminCode } from '../administrators/administrator.js';
import type { Panel } from '../panel.js';
import { explorer } from './actions.js';
import type { PanelPermission } from './permission.js';
import { type ConditionResults, mayHold, testConditions } from './test-conditions.js';

/** The rights of an administrator: the permissions of all their roles. */
export interface Rights {
  readonly administrator: Administrator;
  /** Whether the administrator may do everything. */
  readonly isSuper: boolean;
  /** Empty for a super admin, whose permissions follow from the models. */
  readonly permissions: readonly PanelPermission[];
  /** What conditions in the code of a project say. */
  readonly conditions: ConditionResults;
}

/** Returns the rights of an administrator: without the permissions whose conditions do not hold for them, whatever the entry. */
export async function rightsOf(administrator: Administrator, panel: Panel): Promise<Rights> {
  const isSuper = administrator.roles.some(({ code }) => code === superAdminCode);
  const byRole = await panel.permissions();
  const permissions = isSuper ? [] : administrator.roles.flatMap(({ id }) => byRole.get(id) ?? []);
  const conditions = await testConditions(permissions, administrator, panel.conditions());
  return { administrator, isSuper, permissions: permissions.filter((one) => mayHold(one, conditions)), conditions };
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

/** What a permission allows, whoever has it. */
type Allowed = Pick<PanelPermission, 'action' | 'subject' | 'properties' | 'conditions'>;

/** Throws a ForbiddenError if an administrator gives somebody a permission that is wider than all of their own. */
export function refuseWiderPermissions(rights: Rights, permissions: readonly Allowed[]): void {
  if (rights.isSuper) return;
  const isOwn = (one: Allowed): boolean => permissionsFor(rights, one.action, one.subject).some((own) => isWithin(one, own));
  if (!permissions.every(isOwn)) throw forbiddenError();
}

/** Returns whether a permission allows nothing that another one for the same action and subject does not. */
const isWithin = (one: Allowed, other: Allowed): boolean =>
  isPart(one.properties.fields, other.properties.fields) &&
  isPart(one.properties.locales, other.properties.locales) &&
  (other.conditions.length === 0 || (one.conditions.length > 0 && isPart(one.conditions, other.conditions)));

/** Returns whether a list allows nothing that another one does not. An absent list does not restrict. */
const isPart = (names: readonly string[] | undefined, others: readonly string[] | undefined): boolean =>
  others === undefined || (names?.every((name) => others.includes(name)) ?? false);

/** Returns the paths of attributes that an administrator may read in all entries of a type that they may read. */
export const fieldsFor = (rights: Rights, uid: string): ReadonlySet<string> =>
  fieldsInAll(permissionsFor(rights, `${explorer}.read`, uid));

/**
 * Returns the paths of attributes that permissions name for every entry that one of them holds for: those of the permissions that
 * hold for all entries, otherwise those that each permission names. A path stands for all that is below it.
 */
export function fieldsInAll(permissions: readonly PanelPermission[]): ReadonlySet<string> {
  const fieldsOf = ({ properties }: PanelPermission): readonly string[] => properties.fields ?? [];
  const whole = permissions.filter(({ properties, conditions }) => conditions.length === 0 && properties.locales === undefined);
  if (whole.length > 0) return new Set(whole.flatMap(fieldsOf));
  const names = (permission: PanelPermission, path: string): boolean =>
    fieldsOf(permission).some((field) => field === path || path.startsWith(`${field}.`));
  return new Set(permissions.flatMap(fieldsOf).filter((path) => permissions.every((one) => names(one, path))));
}
