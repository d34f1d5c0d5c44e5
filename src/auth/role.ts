import type { Document } from '../mongo/send/database.js';
import type { Access } from '../query/access.js';

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
