import type { Access } from '../query/access.js';
import type { Filter } from '../query/ast.js';
import { isRecord } from '../query/is-record.js';
import type { Limits } from '../query/limits.js';
import { parseFilters } from '../query/parse-filter.js';
import type { ContentType, Registry } from '../schema/content-type.js';
import type { KnownUser } from './known-user.js';
import type { FieldRule, Role } from './role.js';

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
    rules: new Map(Object.entries(rows).map(([uid, rule]) => [uid, parseRule(rule, user, limits)] as const)),
  };
}

function hiddenNames(type: ContentType, rule: FieldRule): ReadonlySet<string> {
  if ('deny' in rule) return new Set(rule.deny);
  return new Set([...type.attributes.keys()].filter((name) => !rule.allow.includes(name)));
}

/** Nothing meets it. */
const nothing: Filter = { kind: 'field', name: 'id', filter: { kind: 'test', operator: 'in', value: [] } };

/** A rule that names the caller's user is met by nothing where there is no user. Throws a ValidationError. */
export function parseRule(rule: unknown, user: KnownUser | null, limits: Limits): Filter {
  const named = { user, isMissing: false };
  const filled = fillUser(rule, named);
  return named.isMissing ? nothing : (parseFilters(filled, limits) ?? nothing);
}

/** What `$user.<name>` may name. */
export const userNames: ReadonlySet<string> = new Set(['id', 'username', 'email', 'role']);

interface Named {
  readonly user: KnownUser | null;
  isMissing: boolean;
}

function fillUser(value: unknown, named: Named): unknown {
  if (typeof value === 'string' && value.startsWith('$user.')) return valueOf(value.slice('$user.'.length), named);
  if (Array.isArray(value)) return value.map((item) => fillUser(item, named));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fillUser(inner, named)]));
}

function valueOf(name: string, named: Named): unknown {
  const value = named.user !== null && userNames.has(name) ? named.user[name as keyof KnownUser] : null; // one of the names
  if (value === null) named.isMissing = true;
  return value;
}
