import { permissionTree } from '#accounts/roles/permission-tree.js';
import { ownActions } from '#content/rights/known-actions.js';
import { createRole, deleteRole, emptyBody, findRole, listRoles, updateRole } from '#accounts/roles/roles.js';
import type { Answer } from '#http/route.js';
import { bodyOf, idOf } from '#http/route-request.js';
import { grantableActions } from '#http/running.js';
import type { Values } from '#base/values.js';
import { showOne } from '../show-entries.js';
import type { PanelAction, PanelCall, PanelRoutes } from '../panel-route.js';
import { routesByApi } from './content-api.js';

const right = (name: string): PanelAction => `plugin::users-permissions.roles.${name}`;

/** The routes of roles of users, and of what can be granted to them. Their answers have no envelope. */
export const userRoleRoutes: PanelRoutes = {
  'GET /users-permissions/roles': { right: right('read'), handle: list },
  'POST /users-permissions/roles': { right: right('create'), handle: create },
  'GET /users-permissions/roles/:id': { right: right('read'), handle: read },
  'PUT /users-permissions/roles/:id': { right: right('update'), handle: change },
  'DELETE /users-permissions/roles/:id': { right: right('delete'), handle: remove },
  'GET /users-permissions/permissions': {
    right: 'logged in',
    handle: (call) => ({ body: { permissions: permissionTree(actionsOf(call), new Set()) } }),
  },
  'GET /users-permissions/policies': { right: 'logged in', handle: () => ({ body: { policies: [] } }) },
  'GET /users-permissions/routes': { right: 'logged in', handle: (call) => ({ body: { routes: routesByApi(call) } }) },
};

/** The answer to a change. */
export const done: Answer = { body: { ok: true } };

/** Returns the body of a request. Throws a ValidationError for an empty one. */
export function givenBody({ request }: PanelCall): Values {
  const body = bodyOf(request);
  if (Object.keys(body).length === 0) throw emptyBody();
  return body;
}

/** Returns the actions that the panel lists. A role keeps others when it is saved, unless the request names them. */
const actionsOf = ({ running, content }: PanelCall): string[] =>
  grantableActions(running, content.bind.registry).filter((action) => !ownActions.includes(action));

/** Returns all roles with the number of their users. */
export async function rolesOf({ content }: PanelCall) {
  const { roles, users } = await listRoles(content);
  return { roles: roles.map((role) => ({ ...showOne(role, content), nb_users: users.get(role.document['_id']) ?? 0 })) };
}

async function list(call: PanelCall): Promise<Answer> {
  return { body: await rolesOf(call) };
}

async function read(call: PanelCall): Promise<Answer> {
  const id = idOf(call);
  const [role, roles] = await Promise.all([findRole(id, call.content), call.running.authenticator.roles()]);
  const permissions = permissionTree(actionsOf(call), roles.byId.get(id)?.actions ?? new Set());
  return { body: { role: { ...showOne(role, call.content), permissions } } };
}

async function create({ request, content }: PanelCall): Promise<Answer> {
  await createRole(bodyOf(request), content);
  return done;
}

async function change(call: PanelCall): Promise<Answer> {
  await updateRole(idOf(call), givenBody(call), call.content, ownActions);
  return done;
}

async function remove(call: PanelCall): Promise<Answer> {
  await deleteRole(idOf(call), call.content);
  return done;
}
