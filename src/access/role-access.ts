import type { Access } from '../query/access.js';
import type { Limits } from '../query/limits.js';
import type { ContentType, Registry } from '../schema/content-type.js';
import type { KnownUser } from './known-user.js';
import type { FieldRule, Role } from './role.js';
import { rowRule } from './row-rule.js';

export interface RuleContext {
  readonly registry: Registry;
  readonly limits: Limits;
}

/** What a role lets its user do, or the public where there is none; rules applied to this user. */
export function roleAccess(role: Role, user: KnownUser | null, { registry, limits }: RuleContext): Access {
  if (role.rules === null) return role.access;
  const { fields, rows } = role.rules;
  return {
    grants: role.access.grants,
    hidden: new Map(
      Object.entries(fields).flatMap(([uid, rule]) => {
        const type = registry.types.get(uid);
        return type === undefined ? [] : [[uid, hiddenNames(type, rule)] as const];
      }),
    ),
    rules: new Map(Object.entries(rows).map(([uid, rule]) => [uid, rowRule(rule, user, limits)] as const)),
  };
}

function hiddenNames(type: ContentType, rule: FieldRule): ReadonlySet<string> {
  if ('deny' in rule) return new Set(rule.deny);
  return new Set([...type.attributes.keys()].filter((name) => !rule.allow.includes(name)));
}
