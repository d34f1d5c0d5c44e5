import type { Access } from '../query/access.js';

/** The attributes of a type that a role may use: those listed, or all but those listed. */
export type FieldRule = { readonly allow: readonly string[] } | { readonly deny: readonly string[] };

/** Restrictions of a role beyond its actions, by uid. */
export interface RoleRules {
  readonly fields: Readonly<Record<string, FieldRule>>;
  /** Filters in the language of requests, that entries must meet; `$user.id` is the caller's. */
  readonly rows: Readonly<Record<string, unknown>>;
}

/** A role and all that it may do. */
export interface Role {
  readonly id: number;
  readonly type: string;
  readonly name: string;
  readonly actions: ReadonlySet<string>;
  /** Null: no rules. */
  readonly rules: RoleRules | null;
  /** The access without rules. */
  readonly access: Access;
}

/** All roles, as they are stored. */
export interface Roles {
  readonly byId: ReadonlyMap<number, Role>;
  readonly byType: ReadonlyMap<string, Role>;
  /** Whether anything was granted besides the defaults of a fresh database. */
  readonly areConfigured: boolean;
}
