import { hash } from 'bcrypt';
import type { Db } from 'mongodb';
import { storedCode } from '../../../src/accounts/login/passwords.js';
import { insertEntries } from '../../insert-entries.js';
import type { AdministratorSetup, AdminRoleSetup, Setup } from './read-content.js';

/** Writes the roles of administrators with their permissions, the super admin's first, and the administrators. */
export async function saveAdministrators(db: Db, { adminRoles = [], adminUsers = [] }: Setup): Promise<void> {
  if (adminRoles.length === 0) return;
  const roles = [superAdmin, ...adminRoles];
  await insertEntries(
    db,
    'admin_roles',
    roles.map(({ name, code, description = null }) => ({ name, code, description })),
  );
  const permissions = roles.flatMap((role, index) =>
    permissionsOf(role).map((permission) => ({ ...permission, role: index + 1 })),
  );
  await insertEntries(db, 'admin_permissions', permissions);
  const ids = new Map(roles.map(({ code }, index) => [code, index + 1]));
  if (adminUsers.length > 0)
    await insertEntries(db, 'admin_users', await Promise.all(adminUsers.map((user) => stored(user, ids))));
}

const superAdmin: AdminRoleSetup = {
  name: 'Super Admin',
  code: 'strapi-super-admin',
  description: 'Super Admins can access and manage all features and settings.',
  permissions: [],
};

const permissionsOf = ({ permissions }: AdminRoleSetup) =>
  permissions.map((permission) => ({ ...permission, actionParameters: {} }));

async function stored(user: AdministratorSetup, roles: ReadonlyMap<string, number>) {
  const { firstname, lastname, username, email, password, isActive = true, blocked = false, preferedLanguage = null } = user;
  return {
    ...{ firstname, lastname, username, email, isActive, blocked, preferedLanguage },
    password: password === null ? null : await hash(password, 10),
    resetPasswordToken: codeOf(user.resetPasswordToken),
    registrationToken: codeOf(user.registrationToken),
    roles: user.roles.map((code) => roles.get(code)),
  };
}

/** The codes of the recordings hold as long as the server runs. */
const codeOf = (code: string | undefined): string | null => (code === undefined ? null : storedCode(code, 86_400));
