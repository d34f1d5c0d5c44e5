import type { Access } from '../query/access.js';
import type { Limits } from '../query/limits.js';
import type { ContentType, Registry } from '../schema/content-type.js';
import { otherSides, type AttributeName } from '../schema/other-sides.js';
import type { KnownUser } from './known-user.js';
import type { FieldRule, Role, RoleRules } from './role.js';
import { rowRule } from './row-rule.js';

interface RuleContext {
  readonly registry: Registry;
  readonly limits: Limits;
}

/** What a role lets its user do, or the public if there is none; rules applied to this user. */
export function roleAccess(role: Role, user: KnownUser | null, { registry, limits }: RuleContext): Access {
  if (role.rules === null) return role.access;
  const { fields, rows } = role.rules;
  return {
    grants: role.access.grants,
    hidden: hiddenBy(fields, registry),
    rules: new Map(Object.entries(rows).map(([uid, rule]) => [uid, rowRule(rule, user, limits)] as const)),
  };
}

/** The attributes that field rules hide, and those that show the links of hidden ones from their other side. */
function hiddenBy(fields: RoleRules['fields'], registry: Registry): Access['hidden'] {
  const hidden = new Map<string, Set<string>>();
  const hide = ({ uid, name }: AttributeName): void => {
    const names = hidden.get(uid) ?? new Set();
    hidden.set(uid, names);
    if (names.has(name)) return;
    names.add(name);
    for (const other of otherSides(registry).get(uid)?.get(name) ?? []) if (!isMorph(other, registry)) hide(other);
  };
  for (const [uid, rule] of Object.entries(fields)) {
    const type = registry.types.get(uid);
    if (type !== undefined) for (const name of hiddenNames(type, rule)) hide({ uid, name });
  }
  return hidden;
}

/** A polymorphic attribute leads to other types as well: it is not hidden as a whole, `isHiddenLink` tells for each type. */
const isMorph = ({ uid, name }: AttributeName, { types }: Registry): boolean =>
  types.get(uid)?.attributes.get(name)?.kind === 'morph';

function hiddenNames({ attributes }: ContentType, rule: FieldRule): readonly string[] {
  return 'deny' in rule ? rule.deny : [...attributes.keys()].filter((name) => !rule.allow.includes(name));
}
