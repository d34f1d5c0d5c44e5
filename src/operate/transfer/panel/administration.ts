import { randomInt } from 'node:crypto';
import type { Document } from '#store/send/database.js';
import type { Registry } from '#model/schema/content-type.js';
import type { PanelRecord } from '../panel-records.js';
import type { Values } from '#base/values.js';
import { type AdminRole, superAdminCode } from '#admin/administrators/administrator.js';
import { fields } from '#admin/administrators/write-administrator.js';
import { conditions } from '#admin/rights/actions.js';
import { type PermissionInput, permissionsBody, problemOf } from '#admin/rights/check-permissions.js';
import { type PanelPermission, permissionOf } from '#admin/rights/permission.js';
import { without } from '#admin/rights/write-permissions.js';

/** The administrators that are stored before an import, with their roles and permissions. */
export interface StoredAdministration {
  readonly administrators: readonly Document[];
  readonly roles: ReadonlyMap<number, AdminRole>;
  readonly permissions: ReadonlyMap<number, readonly PanelPermission[]>;
}

/** A role that an import takes. */
export interface ComingRole {
  /** The id in the source. */
  readonly source: number;
  /** The stored role of the same code; null if the role is new. */
  readonly stored: AdminRole | null;
  readonly values: Pick<AdminRole, 'name' | 'code' | 'description'>;
  /** Null if the stored role stays as it is. */
  readonly permissions: readonly PermissionInput[] | null;
}

/** An administrator that an import takes. */
export interface ComingAdministrator {
  /** The id in the source. */
  readonly source: number;
  /** The stored administrator of the same e-mail address, who stays as they are; null if there is none. */
  readonly stored: Document | null;
  readonly email: string;
  readonly values: Values;
  /** Ids of roles in the source. */
  readonly roles: readonly number[];
}

/** What an import takes of the administration of a source. */
export interface ComingAdministration {
  readonly roles: readonly ComingRole[];
  readonly administrators: readonly ComingAdministrator[];
}

interface Judging {
  readonly registry: Registry;
  /** Reports what is not taken. */
  readonly report: (reason: string, where: string) => void;
}

/**
 * Decides what an import takes. Nobody who is stored gets more rights: administrators stay as they are, and a role that one of them
 * has keeps its permissions.
 */
export function judgeAdministration(
  records: readonly PanelRecord[],
  stored: StoredAdministration,
  judging: Judging,
): ComingAdministration {
  const of = (type: string): readonly PanelRecord[] => records.filter((record) => record.type === type);
  const permissions = of('admin::permission');
  const roles = uniqueRoles(of('admin::role'), judging.report).flatMap((role) => {
    const own = permissions.length === 0 ? null : permissions.filter(({ roles: [id] }) => id === role.id);
    return comingRole(role, own, { ...judging, stored });
  });
  const taken = new Set(roles.map(({ source }) => source));
  const administrators = comingAdministrators(of('admin::user'), stored, judging.report);
  for (const { email, stored: known, roles: ids } of administrators)
    if (known === null && !ids.some((id) => taken.has(id))) judging.report('an administrator has no role', email);
  return { roles, administrators };
}

/** Returns the roles with a name and a code, each once. Reports the others. */
function uniqueRoles(records: readonly PanelRecord[], report: Judging['report']): readonly PanelRecord[] {
  const seen = new Set<string>();
  return records.filter(({ id, data }) => {
    const [name, code] = [shortText(data['name']), shortText(data['code'])];
    const isUnique = name !== null && code !== null && !seen.has(`name ${name}`) && !seen.has(`code ${code}`);
    if (!isUnique) report('a role of administrators is not imported: it has no name and code of its own', name ?? String(id));
    seen.add(`name ${String(name)}`).add(`code ${String(code)}`);
    return isUnique;
  });
}

interface JudgingRole extends Judging {
  readonly stored: StoredAdministration;
}

function comingRole(
  { id, data }: PanelRecord,
  records: readonly PanelRecord[] | null,
  { stored, registry, report }: JudgingRole,
): readonly ComingRole[] {
  const [name, code] = [String(data['name']), String(data['code'])];
  const all = [...stored.roles.values()];
  const existingRole = all.find((role) => role.code === code) ?? null;
  const holdsName = all.find((role) => role.name === name) ?? null;
  const values = {
    name: existingRole !== null && holdsName !== null ? existingRole.name : name,
    code,
    description: textOf(data),
  };
  if (existingRole === null && holdsName !== null) {
    report('a role of administrators is not imported: another role has its name', name);
    return [];
  }
  if (code === superAdminCode || records === null) return [{ source: id, stored: existingRole, values, permissions: null }];
  const permissions = comingPermissions(records, code, { registry, report });
  const isHeld =
    existingRole !== null && stored.administrators.some(({ roles }) => Array.isArray(roles) && roles.includes(existingRole.id));
  if (!isHeld) return [{ source: id, stored: existingRole, values, permissions: permissions }];
  const own = stored.permissions.get(existingRole.id) ?? [];
  if (without(own, permissions).length + without(permissions, own).length > 0)
    report('a role keeps its permissions, because administrators have it here', code);
  return [{ source: id, stored: existingRole, values, permissions: null }];
}

const textOf = ({ description }: Values): string | null =>
  typeof description === 'string' ? description.slice(0, 10_000) : null;

/** Characters of the longest name, as in the panel. */
const longest = 255;

const shortText = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' && value.length <= longest ? value : null;

const knownConditions: ReadonlySet<string> = new Set(conditions.map(({ id }) => id));

/** Returns the permissions of a role, one for each action and subject as in the panel. Reports those that are left out. */
function comingPermissions(
  records: readonly PanelRecord[],
  role: string,
  { registry, report }: Judging,
): readonly PermissionInput[] {
  const seen = new Set<string>();
  return records.flatMap(({ data, id }) => {
    const { action, subject, properties, conditions: given } = permissionOf({ ...data, _id: id });
    const permission = { action, subject, properties, conditions: given };
    const where = [role, action, ...(subject === null ? [] : [subject])].join(' ');
    const reason = seen.has(where) ? 'another one is for the same action and entries' : whyNotPermission(permission, registry);
    if (reason !== null) {
      report(`a permission of administrators is not imported: ${reason}`, where);
      return [];
    }
    seen.add(where);
    for (const condition of given)
      if (!knownConditions.has(condition)) report(`a permission allows nothing under an unknown condition: ${condition}`, where);
    return [permission];
  });
}

function whyNotPermission(permission: PermissionInput, registry: Registry): string | null {
  if (problemOf(permission, '', { registry }) !== null) return 'the panel has no such action on such entries';
  return permissionsBody.isValidSync({ permissions: [permission] }) ? null : 'it has too many names, or too long ones';
}

/** Returns the administrators with valid addresses and passwords, each once. Reports the others. */
export function comingAdministrators(
  records: readonly PanelRecord[],
  { administrators }: Pick<StoredAdministration, 'administrators'>,
  report: Judging['report'],
): readonly ComingAdministrator[] {
  const stored = new Map(administrators.map((document) => [String(document['email']), document]));
  const coming = new Map<string, ComingAdministrator>();
  for (const { id, data, roles } of [...records].sort((one, other) => one.id - other.id)) {
    const email = String(data['email'] ?? '').toLowerCase();
    const reason = coming.has(email) ? 'another one has their e-mail address' : whyNot(email, data);
    if (reason !== null) report(`an administrator is not imported: ${reason}`, email || String(id));
    else coming.set(email, { source: id, stored: stored.get(email) ?? null, email, values: valuesOf(email, data), roles });
  }
  return [...coming.values()];
}

/** Hashes of bcrypt, up to a cost of a second. */
const hashPattern = /^\$2[ab]\$(0[4-9]|1[0-4])\$[./A-Za-z0-9]{53}$/;

function whyNot(email: string, { password }: Values): string | null {
  if (!fields.email().required().max(longest).isValidSync(email)) return 'their e-mail address is not valid';
  if (typeof password !== 'string' || password === '') return 'they have no password yet; invite them again';
  return hashPattern.test(password) ? null : 'their password is not a hash of bcrypt; npx mangrove admin create creates them';
}

/** Returns the values to store. Codes of invitations and forgotten passwords are left out. */
function valuesOf(email: string, data: Values): Values {
  const username = shortText(data['username']);
  return {
    firstname: shortText(data['firstname']) ?? username,
    lastname: shortText(data['lastname']),
    username,
    email,
    password: data['password'],
    isActive: data['isActive'] !== false && data['isActive'] !== 0,
    blocked: data['blocked'] === true || data['blocked'] === 1,
    preferedLanguage: shortText(data['preferedLanguage']),
    // Another service with the same secret may have issued tokens for this id; they do not fit.
    _tokenVersion: randomInt(2 ** 31),
    ...timesOf(data),
  };
}

const timesOf = (data: Values): Values =>
  Object.fromEntries(
    ['createdAt', 'updatedAt'].flatMap((name) => {
      const given = data[name];
      const time = typeof given === 'string' || given instanceof Date ? new Date(given) : null;
      return time === null || Number.isNaN(time.getTime()) ? [] : [[name, time] as const];
    }),
  );
