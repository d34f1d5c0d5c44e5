import type { Database, Document } from '#store/send/database.js';
import { findStored } from '#store/stored.js';
import type { Access } from '#model/query/access.js';
import { collections } from '#model/schema/collections.js';
import { builtinRoles, defaultGrants } from './default-roles.js';

/** The attributes of a type that a role may use: only the listed ones (`allow`), or all except these (`deny`). */
export type FieldRule = { readonly allow: readonly string[] } | { readonly deny: readonly string[] };

/** Restrictions of a role beyond its actions, by uid. */
export interface RoleRules {
  readonly fields: Readonly<Record<string, FieldRule>>;
  /** Filters, in the syntax of requests, that entries must meet. `$user.id` is the id of the caller's user. */
  readonly rows: Readonly<Record<string, unknown>>;
}

/** A role with its actions and rules. */
export interface Role {
  readonly id: number;
  readonly type: string;
  readonly name: string;
  readonly actions: ReadonlySet<string>;
  /** Null if there are none. */
  readonly rules: RoleRules | null;
  /** The access without rules. */
  readonly access: Access;
  /** The stored role, of which code of a project sees all values. */
  readonly document: Document;
}

/** All stored roles. */
export interface Roles {
  readonly byId: ReadonlyMap<number, Role>;
  readonly byType: ReadonlyMap<string, Role>;
  /** Whether the roles or their actions differ from those of a new database. */
  readonly areConfigured: boolean;
}

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
