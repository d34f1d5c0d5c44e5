import { checkActions } from '#content/rights/known-actions.js';
import { enabledActions } from '#accounts/roles/permission-tree.js';
import { createRole, deleteRole, updateRole } from '#accounts/roles/roles.js';
import { setActions } from '#accounts/roles/grant-actions.js';
import { setRules, type RulesChange } from '#accounts/roles/set-rules.js';
import { notFoundError } from '#base/errors.js';
import { flag, listOf, orNull, record, type Schema, text } from '#http/json-schema.js';
import { idOf } from '#http/route-request.js';
import { grantableActions } from '#http/running.js';
import type { Values } from '#base/values.js';
import { readRoles, type Role } from '#content/rights/role.js';
import type { AdminCall, AdminRoute } from './admin-call.js';
import { describe, row, schemas } from './admin-row.js';

const names = listOf(text);
const each = (schema: Schema): Schema => ({ type: 'object', additionalProperties: schema });

const changedRole = {
  name: orNull(text),
  description: orNull(text),
  actions: names,
  permissions: each(record({ controllers: each(each(record({ enabled: flag, policy: text }, []))) }, [])),
};

/**
 * Returns the schema of one part of the rules. Null removes the part; an absent part is unchanged; an empty object is refused,
 * because it changes nothing.
 */
const rulesPart = (rule: Schema): Schema => ({ ...each(rule), type: ['object', 'null'], minProperties: 1 });
const fieldRule = { ...record({ allow: names, deny: names }, []), minProperties: 1, maxProperties: 1 };
/** The schema of a change of rules. */
export const rulesBody = {
  ...record({ rows: rulesPart({ type: 'object', minProperties: 1 }), fields: rulesPart(fieldRule) }, []),
  minProperties: 1,
};

/** The routes of roles, their rules, and their actions, as a flat list or as the tree of Strapi v4. */
export const roleAdminRoutes: readonly AdminRoute[] = [
  row('GET /roles', describe('adminFindRoles', 'List roles with their actions', listOf(schemas.role)), async (call) =>
    [...(await rolesOf(call)).values()].map(shown),
  ),
  row(
    'POST /roles',
    describe('adminCreateRole', 'Create a role', schemas.role),
    create,
    record({ ...changedRole, type: orNull(text) }, []),
  ),
  row('GET /roles/:id', describe('adminFindRole', 'Read a role', schemas.role), async (call) =>
    shown(await findRole(call, idOf(call))),
  ),
  row('PUT /roles/:id', describe('adminUpdateRole', 'Change a role', schemas.role), update, record(changedRole, [])),
  row('DELETE /roles/:id', describe('adminDeleteRole', 'Delete a role', schemas.role), remove),
  row(
    'PUT /roles/:id/rules',
    describe('adminWriteRules', 'Restrict a role to some entries and attributes', schemas.role),
    changeRules,
    rulesBody,
  ),
  row('DELETE /roles/:id/rules', describe('adminDeleteRules', 'Remove the rules of a role', schemas.role), removeRules),
  row('GET /permissions', describe('adminFindPermissions', 'List all actions that can be granted', schemas.texts), (call) =>
    actionsOf(call),
  ),
];

const shown = ({ id, name, type, actions, rules }: Role) => ({ id, name, type, actions: [...actions].sort(), rules });

const rolesOf = async ({ content }: AdminCall): Promise<ReadonlyMap<number, Role>> =>
  (await readRoles(content.store.database)).byId;

async function findRole(call: AdminCall, id: number): Promise<Role> {
  const role = (await rolesOf(call)).get(id);
  if (role === undefined) throw notFoundError('Role not found');
  return role;
}

async function create(call: AdminCall): Promise<unknown> {
  const actions = actionsIn(call.body, call);
  const id = await call.commit(async (content) => {
    const id = await createRole(call.body, content);
    if (actions !== null) await setActions(id, actions, content.store);
    return id;
  });
  return shown(await findRole(call, id));
}

async function update(call: AdminCall): Promise<unknown> {
  const actions = actionsIn(call.body, call);
  const id = idOf(call);
  await call.commit(async (content) => {
    await updateRole(id, call.body, content);
    if (actions !== null) await setActions(id, actions, content.store);
  });
  return shown(await findRole(call, id));
}

async function remove(call: AdminCall): Promise<unknown> {
  const role = await findRole(call, idOf(call));
  await call.commit((content) => deleteRole(role.id, content));
  return shown(role);
}

async function changeRules(call: AdminCall): Promise<unknown> {
  const change = call.body as RulesChange; // the schema has checked the body
  const warnings = await call.commit((content) => setRules(idOf(call), change, content));
  for (const warning of warnings) call.content.notices.logOnce(warning);
  return { ...shown(await findRole(call, idOf(call))), ...(warnings.length > 0 && { warnings }) };
}

async function removeRules(call: AdminCall): Promise<unknown> {
  await call.commit((content) => setRules(idOf(call), { rows: null, fields: null }, content));
  return shown(await findRole(call, idOf(call)));
}

/** Returns the actions of a body; null if it has no `actions`. Throws a ValidationError for an unknown action. */
function actionsIn({ actions, permissions }: Values, call: AdminCall): string[] | null {
  const listed = Array.isArray(actions) ? actions.map(String) : null;
  const named = [...(listed ?? []), ...enabledActions(permissions)];
  checkActions(named, actionsOf(call));
  return listed === null ? null : named;
}

const actionsOf = ({ running, content }: AdminCall): string[] => grantableActions(running, content.bind.registry);
