import { activePlugins, knownActions } from '../../access/known-actions.js';
import { permissionTree } from '../../accounts/permission-tree.js';
import type { Config } from '../../config/config.js';
import { createRole, deleteRole, findRole, listRoles, updateRole } from '../../accounts/roles.js';
import type { Registry } from '../../schema/content-type.js';
import { bodyOf } from '../body-of.js';
import { flatEntry } from '../envelope.js';
import type { PluginRoute, RouteCall } from '../plugin-routes.js';
import { idOf } from './user-routes.js';

const action = (name: string): string => `plugin::users-permissions.role.${name}`;

/** Roles and the actions that they can be granted (rest.md 11.5). */
export const roleRoutes: readonly PluginRoute[] = [
  { method: 'GET', path: '/users-permissions/roles', demand: action('find'), handle: list },
  { method: 'POST', path: '/users-permissions/roles', demand: action('createRole'), handle: create },
  {
    method: 'GET',
    path: '/users-permissions/roles/:id',
    demand: action('findOne'),
    handle: findOne,
  },
  { method: 'PUT', path: '/users-permissions/roles/:id', demand: action('updateRole'), handle: update },
  { method: 'DELETE', path: '/users-permissions/roles/:id', demand: action('deleteRole'), handle: destroy },
  {
    method: 'GET',
    path: '/users-permissions/permissions',
    demand: 'plugin::users-permissions.permissions.getPermissions',
    handle: ({ ctx, running, content }) => {
      ctx.body = { permissions: permissionTree(actionsOf(running.config, content.bind.registry), new Set()) };
    },
  },
];

async function list({ ctx, content }: RouteCall): Promise<void> {
  const { roles, users } = await listRoles(content);
  ctx.body = { roles: roles.map((role) => ({ ...flatEntry(role), nb_users: users.get(role.document['_id']) ?? 0 })) };
}

async function findOne(call: RouteCall): Promise<void> {
  const id = idOf(call);
  const { config, authenticator } = call.running;
  const [role, roles] = await Promise.all([findRole(id, call.content), authenticator.roles()]);
  const granted = roles.byId.get(id)?.actions ?? new Set<string>();
  const permissions = permissionTree(actionsOf(config, call.content.bind.registry), granted);
  call.ctx.body = { role: { ...flatEntry(role), permissions } };
}

async function create({ ctx, content }: RouteCall): Promise<void> {
  await createRole(bodyOf(ctx), content);
  ctx.body = { ok: true };
}

async function update(call: RouteCall): Promise<void> {
  await updateRole(idOf(call), bodyOf(call.ctx), call.content);
  call.ctx.body = { ok: true };
}

async function destroy(call: RouteCall): Promise<void> {
  await deleteRole(idOf(call), call.content);
  call.ctx.body = { ok: true };
}

const actionsOf = (config: Config, registry: Registry): string[] => knownActions(registry, activePlugins(config));
