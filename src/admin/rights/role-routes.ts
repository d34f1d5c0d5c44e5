import { applicationError, fieldErrors, notFoundError, validationError } from '#base/errors.js';
import { type ContentContext, ownType, withAccess, withDatabase } from '#content/content-context.js';
import { findMany } from '#content/find-many.js';
import type { Answer } from '#http/route.js';
import { bodyOf, idOf } from '#http/route-request.js';
import { is } from '#store/form/matches.js';
import { findFirst, findStored } from '#store/stored.js';
import { inTransaction } from '#store/send/transaction.js';
import { bulkWrite } from '#store/write/bulk-write.js';
import { entryStore } from '#store/write/write-entries.js';
import { collections } from '#model/schema/collections.js';
import { adminRole, type AdminRole, countWithRole, readAdminRoles, superAdminCode } from '../administrators/administrator.js';
import { listAccess } from '../administrators/list-access.js';
import { checkIds, checkPanelBody, object, string } from '../check-body.js';
import { answerData, type PanelCall, type PanelRoutes } from '../panel-route.js';
import { resourceRoutes } from '../resource-routes.js';
import { parametersOf, parseListQuery } from '../panel-query.js';
import { actionNames, type Actions } from './actions.js';
import { allPermissions } from './all-permissions.js';
import { checkPermissions, permissionsBody } from './check-permissions.js';
import { describePermissions } from './describe-permissions.js';
import { signOnProviders } from '../sso/settings.js';
import { refuseWiderPermissions } from './rights.js';
import type { PanelPermission } from './permission.js';
import { underServedPaths } from './served-permissions.js';
import { permissionsOf, setPermissions } from './write-permissions.js';

/** The routes of roles of administrators and their permissions. */
export const roleRoutes: PanelRoutes = {
  ...resourceRoutes('/admin/roles', 'admin::roles', {
    ...{ list, create, change },
    read: async (call) => withCount(await roleOf(call), call.content),
    remove: async (call) => (await removeAll([idOf(call)], 'id', call))[0] ?? null,
    removeSeveral: async (call) => removeAll(await checkIds(bodyOf(call.request)), 'ids', call),
  }),
  'GET /admin/roles/:id/permissions': { right: 'admin::roles.read', handle: readPermissions },
  'PUT /admin/roles/:id/permissions': { right: 'admin::roles.update', handle: replacePermissions },
  'GET /admin/permissions': {
    right: 'logged in',
    handle: async ({ content, panel }) => answerData(await describePermissions(content, panel)),
  },
};

const withCount = async (role: AdminRole, { store }: ContentContext) => ({
  ...role,
  usersCount: await countWithRole(store.database, role.id),
});

async function list(call: PanelCall) {
  const { content } = call;
  const type = ownType(content, 'admin::role');
  const query = { ...parseListQuery(parametersOf(call), content.bind), pagination: allRoles };
  const narrow = withAccess(content, listAccess(content.bind.registry));
  const { entries } = await findMany(type, { ...query, fields: ['id'], withTotal: false }, narrow);
  const roles = await readAdminRoles(content.store.database);
  const namedRoles = entries.flatMap(({ document }) => roles.get(Number(document['_id'])) ?? []);
  return Promise.all(namedRoles.map((role) => withCount(role, content)));
}

/** The panel shows all roles on one page. */
const allRoles = { kind: 'page', page: 1, pageSize: 1_000, withCount: false } as const;

async function roleOf(call: PanelCall): Promise<AdminRole> {
  const document = await findFirst(call.content.store.database, collections.adminRoles, { _id: idOf(call) });
  if (document === null) throw notFoundError('role.notFound');
  return adminRole(document);
}

const name = () => string().min(1).max(255);
const description = () => string().max(10_000).nullable();
const roleBody = object({ name: name().required(), description: description() }).noUnknown();
const changedBody = object({ name: name(), description: description() }).noUnknown();

async function create({ request, content }: PanelCall) {
  const body = await checkPanelBody(roleBody, bodyOf(request));
  await refuseTakenName(body.name, 0, content);
  const { store } = content;
  const [_id = 0] = await store.ids.next(collections.adminRoles, 1, store.database);
  const now = new Date();
  const code = `${body.name.toLowerCase().replace(/[^\p{L}\d]+/gu, '-')}-${now.getTime().toString(36)}`;
  const document = { _id, name: body.name, code, description: body.description ?? null, createdAt: now, updatedAt: now };
  await entryStore.insert(store, collections.adminRoles, document);
  return adminRole(document);
}

async function refuseTakenName(wanted: string, except: number, { store }: ContentContext): Promise<void> {
  const role = await findFirst(store.database, collections.adminRoles, { name: is.exactly(wanted) });
  if (role !== null && role['_id'] !== except)
    throw applicationError(`The name must be unique and a role with name \`${wanted}\` already exists.`);
}

async function change(call: PanelCall) {
  const { content } = call;
  const body = await checkPanelBody(changedBody, bodyOf(call.request));
  const role = await roleOf(call);
  if (role.code === superAdminCode) throw applicationError("Super admin can't be edited.");
  if (body.name !== undefined) await refuseTakenName(body.name, role.id, content);
  await checkRename(role, body.name ?? role.name, call);
  const set = { ...body, updatedAt: new Date() };
  const document = await entryStore.update(content.store, collections.adminRoles, {
    match: { _id: role.id },
    change: { set },
  });
  if (document === null) throw notFoundError('role.notFound');
  return adminRole(document);
}

/** Throws a ForbiddenError if single sign-on would give a role by its new name, or no longer, to whom the caller may not give it. */
async function checkRename({ id, name: former }: AdminRole, name: string, { rights, panel, running }: PanelCall): Promise<void> {
  const words = signOnProviders(running.config).flatMap(({ roles }) => Object.values(roles));
  if (name === former || !words.some((word) => word === name || word === former)) return;
  refuseWiderPermissions(rights, (await panel.permissions()).get(id) ?? []);
}

/** Deletes roles with their permissions. `field` is named if one is still used. Roles that do not exist are left out. */
async function removeAll(ids: readonly number[], field: string, { content }: PanelCall): Promise<AdminRole[]> {
  return inTransaction(content.store.database, async (database) => {
    const { store } = withDatabase(content, database);
    const documents = await findStored(database, collections.adminRoles, { match: { _id: is.oneOf(ids) }, sort: { _id: 1 } });
    const problem = (message: string) => fieldErrors([{ path: [field], message }]);
    const roles = documents.map(adminRole);
    if (roles.some(({ code }) => code === superAdminCode)) throw problem('You cannot delete the super admin role');
    const used = await findFirst(database, collections.administrators, { roles: is.oneOf(roles.map(({ id }) => id)) });
    if (used !== null) throw problem('Some roles are still assigned to some users');
    for (const { id } of roles) {
      await entryStore.remove(store, collections.adminRoles, { _id: id });
      await bulkWrite(store, collections.adminPermissions, [{ deleteMany: { filter: { role: id } } }]);
    }
    return roles;
  });
}

async function readPermissions(call: PanelCall): Promise<Answer> {
  const { content } = call;
  const role = await roleOf(call);
  if (role.code === superAdminCode) return answerData(allPermissions(content, call.panel.actions()));
  const stored = await permissionsOf(role.id, content.store.database);
  return answerData(stored.map((one) => underServedPaths(one, content.bind.registry)));
}

/** Replaces the permissions of a role. Answers those that are new. */
async function replacePermissions(call: PanelCall): Promise<Answer> {
  const { content, rights } = call;
  const { permissions } = await checkPanelBody(permissionsBody, bodyOf(call.request));
  const role = await roleOf(call);
  if (role.code === superAdminCode) throw applicationError("Super admin permissions can't be edited.");
  const { registry } = content.bind;
  const actions = call.panel.actions();
  const obsolete = await obsoleteOf(role.id, actions, content);
  const existingPermissions = obsolete.filter((one) => permissions.some((other) => isSame(one, other)));
  const others = permissions.filter((one) => !existingPermissions.some((other) => isSame(one, other)));
  const newPermissions = checkPermissions(others, content, actions).map((one) => underServedPaths(one, registry));
  if (!rights.isSuper && rights.administrator.roles.some(({ id }) => id === role.id))
    throw validationError('You cannot change the permissions of your own role');
  refuseWiderPermissions(rights, newPermissions);
  const added = await inTransaction(content.store.database, (database) =>
    setPermissions(role.id, [...newPermissions, ...existingPermissions], withDatabase(content, database).store),
  );
  return answerData(added);
}

type Named = Pick<PanelPermission, 'action'> & { readonly subject?: string | null | undefined };

const isSame = (one: Named, other: Named): boolean =>
  one.action === other.action && (one.subject ?? null) === (other.subject ?? null);

/** Returns the stored permissions of a role for types and actions that there are no more. The panel lists them, and sends them back. */
async function obsoleteOf(role: number, actions: Actions, { bind, store }: ContentContext): Promise<readonly PanelPermission[]> {
  const names = actionNames(actions);
  const isObsolete = ({ action, subject }: PanelPermission): boolean =>
    !names.has(action) || (subject !== null && !bind.registry.types.has(subject));
  return (await permissionsOf(role, store.database)).filter(isObsolete);
}
