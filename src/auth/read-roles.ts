import { collections } from '../schema/collections.js';
import type { Database, Document } from '../mongo/send/database.js';
import { findStored } from '../mongo/stored.js';
import { builtinRoles, defaultGrants } from './default-roles.js';
import type { Role, RoleRules, Roles } from './role.js';

/** Reads all roles with their permissions, by two commands. */
export async function readRoles(database: Database): Promise<Roles> {
  const [roles, permissions] = await Promise.all([
    findStored(database, collections.roles, { sort: { _id: 1 } }),
    findStored(database, collections.permissions, { fields: ['action', 'role'] }),
  ]);
  const actions = groupActions(permissions);
  const list = roles.map((role) => buildRole(role, actions.get(Number(role['_id'])) ?? new Set()));
  return {
    byId: new Map(list.map((role) => [role.id, role])),
    byType: new Map(list.map((role) => [role.type, role])),
    areConfigured: list.length > builtinRoles.length || list.some(isConfigured),
  };
}

function groupActions(permissions: readonly Document[]): Map<number, Set<string>> {
  const actions = new Map<number, Set<string>>();
  for (const { role, action } of permissions) {
    const id = Number(role);
    actions.set(id, (actions.get(id) ?? new Set()).add(String(action)));
  }
  return actions;
}

function buildRole(document: Document, actions: ReadonlySet<string>): Role {
  return {
    id: Number(document['_id']),
    type: String(document['type'] ?? ''),
    name: String(document['name'] ?? ''),
    actions,
    rules: (document['_rules'] ?? null) as RoleRules | null, // checked when written
    access: { grants: { kind: 'actions', actions }, rules: new Map(), hidden: new Map() },
    document,
  };
}

function isConfigured({ type, actions }: Role): boolean {
  const granted = defaultGrants[type] ?? [];
  return actions.size !== granted.length || granted.some((action) => !actions.has(action));
}
