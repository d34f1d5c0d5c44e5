import { memoize, memoizePair } from '#base/caches.js';
import type { Access, RowRule } from '#model/query/access.js';
import type { Limits } from '#model/query/bind-context.js';
import { type ContentType, type Registry, servedAs, underServedNames } from '#model/schema/content-type.js';
import { otherSides, type AttributeName } from '#model/schema/other-sides.js';
import type { KnownUser } from './caller.js';
import type { FieldRule, Role, RoleRules } from './role.js';
import { comparing } from '#model/query/ast.js';
import { isRecord } from '#base/values.js';
import { parseFilters } from '#model/query/parse-filter.js';

interface RuleContext {
  readonly registry: Registry;
  readonly limits: Limits;
}

/**
 * Returns the access that a role grants to a user, or to the public, with the rules applied to that user. Returns the same object
 * until one of them changes, for all users of the role unless a rule names a value of the user.
 */
export function roleAccess(role: Role, user: KnownUser | null, { registry, limits }: RuleContext): Access {
  if (role.rules === null) return role.access;
  return ruledAccess(role, registry)(limits)(user !== null && dependsOnUser(role.rules) ? user : role);
}

const dependsOnUser = memoize(({ rows }: RoleRules): boolean => userValues(rows).length > 0);

/** The public, and users whom no rule names, have the access that is stored for the role itself. */
const ruledAccess = memoizePair((role: Role, registry: Registry) =>
  memoize((limits: Limits) =>
    memoize((who: KnownUser | Role): Access => {
      const { fields, rows } = role.rules ?? noRules;
      const user = who === role ? null : (who as KnownUser); // the only other argument
      return {
        grants: role.access.grants,
        ...(user !== null && { isOfUser: true }),
        hidden: hiddenBy(fields, registry),
        rules: new Map(
          Object.entries(rows).map(([uid, rule]) => [
            uid,
            underServedOwner(rowRule(rule, user, limits), registry.types.get(uid)),
          ]),
        ),
      };
    }),
  ),
);

const noRules: RoleRules = { fields: {}, rows: {} };

/** Returns the attributes that field rules hide, and the attributes that show the same links from the other side. */
export function hiddenBy(fields: RoleRules['fields'], registry: Registry): Access['hidden'] {
  const hidden = new Map<string, Set<string>>();
  const hide = ({ uid, name }: AttributeName): void => {
    const names = hidden.get(uid) ?? new Set();
    hidden.set(uid, names);
    if (names.has(name)) return;
    names.add(name);
    // a request that began with the former models has the attribute under its other name
    for (const [alias, served] of registry.types.get(uid)?.aliases ?? []) if (served === name) names.add(alias);
    for (const other of otherSides(registry).get(uid)?.get(name) ?? []) if (!isMorph(other, registry)) hide(other);
  };
  for (const [uid, rule] of Object.entries(fields)) {
    const type = registry.types.get(uid);
    if (type !== undefined) for (const name of hiddenNames(type, rule)) hide({ uid, name });
  }
  return hidden;
}

/**
 * Returns whether an attribute is polymorphic. Such an attribute also leads to other types, so it is not hidden as a whole:
 * `isHiddenLink` decides for each type.
 */
const isMorph = ({ uid, name }: AttributeName, { types }: Registry): boolean =>
  types.get(uid)?.attributes.get(name)?.kind === 'morph';

function hiddenNames(type: ContentType, rule: FieldRule): readonly string[] {
  const named = ('deny' in rule ? rule.deny : rule.allow).map((name) => servedAs(type, name));
  return 'deny' in rule ? named : [...type.attributes.keys()].filter((name) => !named.includes(name));
}

/** A user for whom a rule is bound, to find out which attributes it compares. */
export const sampleUser: KnownUser = {
  ...{ id: 1, username: '', email: '', role: 1, tokenVersion: 0, tokensFrom: 0 },
  ...{ blocked: false, confirmed: true, isEmailProven: true },
};

/** Names that `$user.<name>` may have in a rule. */
export const userNames = ['id', 'username', 'email', 'role'] as const;
type UserName = (typeof userNames)[number];

const prefix = '$user.';

/** Returns the name in `$user.<name>`; null for any other value. */
const userName = (value: unknown): UserName | null => userNames.find((name) => value === `${prefix}${name}`) ?? null;

/** Returns the strings of a rule that begin with `$user.`. */
export function userValues(rule: unknown): readonly string[] {
  if (typeof rule === 'string') return rule.startsWith(prefix) ? [rule] : [];
  return typeof rule === 'object' && rule !== null ? [...new Set(Object.values(rule).flatMap(userValues))] : [];
}

/** Returns the strings of a rule that begin with `$user.` and have an unknown name. */
export const unknownUserNames = (rule: unknown): readonly string[] =>
  userValues(rule).filter((value) => userName(value) === null);

/** Returns a value of a user for rules. An address is null unless it is proven, because anybody can claim it. */
const valueOf = (user: KnownUser | null, name: UserName): unknown =>
  name === 'email' && user?.isEmailProven !== true ? null : (user?.[name] ?? null);

/**
 * Returns a stored rule with the values of the caller's user filled in. If the rule names a value that is missing, no entry meets
 * it. Throws a ValidationError if the rule is not a valid filter.
 */
export function rowRule(rule: unknown, user: KnownUser | null, limits: Limits): RowRule {
  const missing = { isMissing: false };
  const filled = fillUser(rule, user, missing);
  if (missing.isMissing) return { filter: nothing, owner: {}, isOwnership: false };
  const equalities = equalitiesOf(rule);
  const named = equalities.filter((equality) => equality !== null);
  const owner = Object.fromEntries(named.map(({ attribute, name }) => [attribute, valueOf(user, name)]));
  const isOwnership = named.length === equalities.length && Object.keys(owner).length === named.length;
  return { filter: parseFilters(filled, limits) ?? nothing, owner, isOwnership };
}

/** Returns a rule whose owner has the name under which it is served. The filter finds attributes by their aliases too. */
const underServedOwner = (rule: RowRule, type: ContentType | undefined): RowRule =>
  type?.aliases === undefined ? rule : { ...rule, owner: underServedNames(type, rule.owner) };

/** A filter that no entry meets. */
const nothing = comparing('id', 'in', []);

function fillUser(value: unknown, user: KnownUser | null, missing: { isMissing: boolean }): unknown {
  if (typeof value === 'string' && value.startsWith(prefix)) {
    const name = userName(value);
    const filled = name === null ? null : valueOf(user, name);
    if (filled === null) missing.isMissing = true;
    return filled;
  }
  if (Array.isArray(value)) return value.map((item) => fillUser(item, user, missing));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fillUser(inner, user, missing)]));
}

/** An attribute, or the id of its related entry, that must equal a value of the user. */
interface Equality {
  readonly attribute: string;
  readonly name: UserName;
}

/**
 * Returns the conditions that a rule combines by `$and`: an equality for the form `{ owner: { id: { $eq: '$user.id' } } }`, null
 * for any other form.
 */
function equalitiesOf(rule: unknown): readonly (Equality | null)[] {
  if (!isRecord(rule)) return [null];
  return Object.entries(rule).flatMap(([key, value]) => {
    if (key === '$and' && Array.isArray(value)) return value.flatMap(equalitiesOf);
    const name = key.startsWith('$') || key === 'id' ? null : equalName(value);
    return name === null ? [null] : [{ attribute: key, name }];
  });
}

function equalName(value: unknown): UserName | null {
  if (!isRecord(value)) return userName(value);
  const [[key, inner] = [], ...more] = Object.entries(value);
  return more.length === 0 && (key === '$eq' || key === 'id') ? equalName(inner) : null;
}
