import { findAdministrator, superAdminCode, type Administrator } from '#admin/administrators/administrator.js';
import {
  type AdministratorValues,
  changeKeepingSuperAdmin,
  insertAdministrator,
  isEmailTaken,
  lowerEmail,
} from '#admin/administrators/write-administrator.js';
import { createDefaultAdminRoles } from '#admin/rights/default-roles.js';
import { applicationError, validationError } from '#base/errors.js';
import { isRecord, type Values } from '#base/values.js';
import type { ContentContext } from '#content/content-context.js';
import { is, type Match } from '#store/form/matches.js';
import type { QueryEngine } from '../services/query-engine.js';

/** What code may set of an administrator. */
const settable = ['firstname', 'lastname', 'username', 'email', 'password', 'isActive', 'preferedLanguage'];

/** Returns the ids of roles that are given as ids or as entries. Throws a ValidationError for anything else. */
function idsOf(roles: unknown): readonly number[] {
  const ids = [roles].flat().map((role: unknown) => Number(isRecord(role) ? role['id'] : role));
  if (!ids.every((id) => Number.isInteger(id) && id > 0)) throw validationError('roles must be a list of ids');
  return ids;
}

/** Returns the values of an administrator that code has given. */
function valuesOf({ roles, ...given }: Values): AdministratorValues {
  const values = Object.entries(given).filter(([name, value]) => settable.includes(name) && value !== undefined);
  return { ...lowerEmail(Object.fromEntries(values)), ...(roles !== undefined && { roles: idsOf(roles) }) };
}

const entityOf = (administrator: Administrator | null) =>
  administrator && { ...administrator.profile, roles: administrator.roles };

const secrets = ['password', 'resetPasswordToken', 'registrationToken'];

/**
 * `strapi.service('admin::user')` and `strapi.service('admin::role')`, which are in `strapi.admin.services` too: what code of projects needs
 * to have administrators. They check no rights, as in Strapi v4.
 */
export function administratorServices(content: () => ContentContext, query: (uid: string) => QueryEngine) {
  const find = async (match: Match) => entityOf(await findAdministrator(content().store.database, match));
  const count = (where: Values = {}) => query('admin::user').count({ where: lowerEmail(where) });
  /** Returns the roles of a condition. The default ones are made first, as Strapi makes them before it runs code. */
  const rolesOf = async (where: Values = {}) => {
    await createDefaultAdminRoles(content());
    return query('admin::role').findMany({ where });
  };
  return {
    user: {
      /** Creates an administrator. The password is stored as a hash. Rejects with an ApplicationError if the address is taken. */
      create: async (given: Values) => {
        const values = valuesOf(given);
        await createDefaultAdminRoles(content());
        if (await isEmailTaken(values.email ?? '', content())) throw applicationError('Email already taken');
        return entityOf(await insertAdministrator(values, content()));
      },
      /** Changes an administrator, unless no super admin would be left. A new password ends the sessions. Returns null if there is none. */
      updateById: async (id: number, given: Values) =>
        entityOf(await changeKeepingSuperAdmin(Number(id), valuesOf(given), content())),
      exists: async (where?: Values) => (await count(where)) > 0,
      count,
      findOne: (id: number) => find({ _id: Number(id) }),
      findOneByEmail: (email: string) => find({ email: is.exactly(email.toLowerCase()) }),
      /** Returns an administrator without secrets. */
      sanitizeUser: (user: Values) => Object.fromEntries(Object.entries(user).filter(([name]) => !secrets.includes(name))),
    },
    role: {
      find: rolesOf,
      findOne: async (where?: Values) => (await rolesOf(where))[0] ?? null,
      getSuperAdmin: async () => (await rolesOf({ code: superAdminCode }))[0] ?? null,
    },
  };
}
