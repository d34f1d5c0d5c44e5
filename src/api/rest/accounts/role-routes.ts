import { permissionTree } from '#accounts/roles/permission-tree.js';
import { createRole, deleteRole, emptyBody, findRole, listRoles, updateRole } from '#accounts/roles/roles.js';
import { bodyOf, idOf } from '#http/route-request.js';
import { type Answer, type Route, type RouteCall, rowsOf } from '#http/route.js';
import { grantableActions } from '#http/running.js';
import { flatEntry } from '../envelope.js';
import { roleOperations } from './operations.js';

const row = rowsOf('plugin::users-permissions', roleOperations);

/** The routes of roles and of the actions that can be granted to them. */
export const roleRoutes: readonly Route[] = [
  row('GET /users-permissions/roles', 'role.find', list),
  row('POST /users-permissions/roles', 'role.createRole', create),
  row('GET /users-permissions/roles/:id', 'role.findOne', findOne),
  row('PUT /users-permissions/roles/:id', 'role.updateRole', update),
  row('DELETE /users-permissions/roles/:id', 'role.deleteRole', destroy),
  row('GET /users-permissions/permissions', 'permissions.getPermissions', (call) => ({
    body: { permissions: permissionTree(actionsOf(call), new Set()) },
  })),
];

async function list({ content }: RouteCall): Promise<Answer> {
  const { roles, users } = await listRoles(content);
  const shown = roles.map((role) => ({ ...flatEntry(role, content), nb_users: users.get(role.document['_id']) ?? 0 }));
  return { body: { roles: shown } };
}

async function findOne(call: RouteCall): Promise<Answer> {
  const id = idOf(call);
  const [role, roles] = await Promise.all([findRole(id, call.content), call.running.authenticator.roles()]);
  const granted = roles.byId.get(id)?.actions ?? new Set<string>();
  const permissions = permissionTree(actionsOf(call), granted);
  return { body: { role: { ...flatEntry(role, call.content), permissions } } };
}

async function create({ request, content }: RouteCall): Promise<Answer> {
  await createRole(bodyOf(request), content);
  return okAnswer;
}

/** Updates a role. As in Strapi v4, only REST refuses an empty body. */
async function update(call: RouteCall): Promise<Answer> {
  const body = bodyOf(call.request);
  if (Object.keys(body).length === 0) throw emptyBody();
  await updateRole(idOf(call), body, call.content);
  return okAnswer;
}

async function destroy(call: RouteCall): Promise<Answer> {
  await deleteRole(idOf(call), call.content);
  return okAnswer;
}

const okAnswer: Answer = { body: { ok: true } };

const actionsOf = ({ running, content }: RouteCall): string[] => grantableActions(running, content.bind.registry);
