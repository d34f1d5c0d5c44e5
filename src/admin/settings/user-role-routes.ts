import { permissionTree } from '#accounts/roles/permission-tree.js';
import { ownActions } from '#content/rights/known-actions.js';
import { createRole, deleteRole, emptyBody, findRole, listRoles, updateRole } from '#accounts/roles/roles.js';
import type { Answer } from '#http/route.js';
import { bodyOf, idOf } from '#http/route-request.js';
import { grantableActions } from '#http/running.js';
import type { Values } from '#base/values.js';
import { showOne } from '../show-entries.js';
import { answerBody, type PanelCall, type PanelRoutes } from '../panel-route.js';
import { resourceRoutes } from '../resource-routes.js';
import { routesByApi } from './content-api.js';

/** The routes of roles of users, and of what can be granted to them. Their answers have no envelope. */
export const userRoleRoutes: PanelRoutes = {
  ...resourceRoutes(
    '/users-permissions/roles',
    'plugin::users-permissions.roles',
    {
      list: rolesOf,
      create: async ({ request, content }) => createRole(bodyOf(request), content).then(okBody),
      read,
      change: async (call) => updateRole(idOf(call), givenBody(call), call.content, unlistedActions(call)).then(okBody),
      remove: async (call) => deleteRole(idOf(call), call.content).then(okBody),
    },
    answerBody,
  ),
  'GET /users-permissions/permissions': {
    right: 'logged in',
    handle: (call) => ({ body: { permissions: permissionTree(actionsOf(call), new Set()) } }),
  },
  'GET /users-permissions/policies': { right: 'logged in', handle: () => ({ body: { policies: [] } }) },
  'GET /users-permissions/routes': { right: 'logged in', handle: (call) => ({ body: { routes: routesByApi(call) } }) },
};

const okBody = () => ({ ok: true });

/** The answer to a change. */
export const okAnswer: Answer = answerBody(okBody());

/** Returns the body of a request. Throws a ValidationError for an empty one. */
export function givenBody({ request }: PanelCall): Values {
  const body = bodyOf(request);
  if (Object.keys(body).length === 0) throw emptyBody();
  return body;
}

/** Returns the actions that the panel lists. */
function actionsOf(call: PanelCall): string[] {
  const unlisted = new Set(unlistedActions(call));
  return grantableActions(call.running, call.content.bind.registry).filter((action) => !unlisted.has(action));
}

/**
 * Returns the actions that the panel does not list, because Strapi v4 does not have them: also those of features on types, unless code of
 * the project has them. A role keeps them when it is saved, unless the request names them.
 */
function unlistedActions({ running, content }: PanelCall): readonly string[] {
  const ofProject = new Set(running.projectActions?.());
  const ofTypes = running.actions(content.bind.registry).filter((action) => action.startsWith('api::') && !ofProject.has(action));
  return [...ownActions, ...ofTypes];
}

/** Returns all roles with the number of their users. */
export async function rolesOf({ content }: PanelCall) {
  const { roles, users } = await listRoles(content);
  return { roles: roles.map((role) => ({ ...showOne(role, content), nb_users: users.get(role.document['_id']) ?? 0 })) };
}

async function read(call: PanelCall) {
  const id = idOf(call);
  const [role, roles] = await Promise.all([findRole(id, call.content), call.running.authenticator.roles()]);
  const permissions = permissionTree(actionsOf(call), roles.byId.get(id)?.actions ?? new Set());
  return { role: { ...showOne(role, call.content), permissions } };
}
