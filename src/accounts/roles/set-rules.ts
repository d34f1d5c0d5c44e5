import { collections } from '#model/schema/collections.js';
import { readAccountSettings, type AccountSettings } from '#content/rights/account-settings.js';
import { rowRule, sampleUser, unknownUserNames, userNames, userValues } from '#content/rights/role-access.js';
import type { FieldRule, RoleRules } from '#content/rights/role.js';
import { ApiError, notFoundError, validationError } from '#base/errors.js';
import { findStored } from '#store/stored.js';
import { entryStore } from '#store/write/write-entries.js';
import { suggest } from '#base/nearest-name.js';
import type { ContentContext } from '#content/content-context.js';
import { bindRule } from '#model/query/bind-filter.js';
import { type ContentType, attributeOf, servedAs } from '#model/schema/content-type.js';
import { servedFilter } from '#model/schema/served-names.js';
import { asService } from '../user-store.js';
import { mapValues } from '#base/values.js';

/** The rules to change, by uid. Null removes all rules of a kind; a kind that is absent keeps its rules. */
export interface RulesChange {
  readonly fields?: Readonly<Record<string, Partial<Record<'allow' | 'deny', readonly string[]>>>> | null;
  readonly rows?: Readonly<Record<string, unknown>> | null;
}

/**
 * Changes the rules of a role, and returns warnings about them. Throws a NotFoundError if there is no such role, a ValidationError if
 * a name is unknown.
 */
export async function setRules(roleId: number, change: RulesChange, content: ContentContext): Promise<readonly string[]> {
  const checked = checkRules(change, asService(content));
  const [role] = await findStored(content.store.database, collections.roles, { match: { _id: roleId }, limit: 1 });
  if (role === undefined) throw notFoundError('Role not found');
  const rules: RoleRules = { fields: {}, rows: {}, ...(role['_rules'] as RoleRules | null | undefined), ...checked }; // checked when written
  const isEmpty = Object.keys(rules.fields).length + Object.keys(rules.rows).length === 0;
  const stored = { set: { _rules: isEmpty ? null : rules, updatedAt: new Date() } };
  await entryStore.update(content.store, collections.roles, { match: { _id: roleId }, change: stored });
  return ruleWarnings(checked, (await readAccountSettings(content.store.database)).advanced);
}

function checkRules({ fields, rows }: RulesChange, content: ContentContext): Partial<RoleRules> {
  return {
    ...(fields !== undefined && { fields: checkEach(fields, content, checkFields) }),
    ...(rows !== undefined && { rows: checkEach(rows, content, (type, rule) => checkRow(type, rule, content)) }),
  };
}

/** Returns the rules by uid, each checked against its type. */
function checkEach<Rule, Checked>(
  rules: Readonly<Record<string, Rule>> | null,
  content: ContentContext,
  check: (type: ContentType, rule: Rule) => Checked,
): Record<string, Checked> {
  return mapValues(rules ?? {}, (rule, uid) => check(typeOf(uid, content), rule));
}

function typeOf(uid: string, { bind }: ContentContext): ContentType {
  const type = bind.registry.types.get(uid);
  if (type === undefined) throw validationError(`there is no type ${uid}${suggest(uid, bind.registry.types.keys())}`);
  return type;
}

/** Returns a rule for fields with the names that are served: a former name means nothing once the model does not name it. */
function checkFields(type: ContentType, { allow, deny = [] }: Partial<Record<'allow' | 'deny', readonly string[]>>): FieldRule {
  const unknown = [...(allow ?? []), ...deny].find((name) => attributeOf(type, name) === undefined);
  if (unknown !== undefined)
    throw validationError(`fields of ${type.uid}: there is no attribute ${unknown}${suggest(unknown, type.attributes.keys())}`);
  const served = (names: readonly string[]): readonly string[] => [...new Set(names.map((name) => servedAs(type, name)))];
  return allow === undefined ? { deny: served(deny) } : { allow: served(allow) };
}

/**
 * Returns a row rule with the names that are served. Throws a ValidationError unless it is a valid filter for the type, whoever the
 * user is.
 */
function checkRow(type: ContentType, rule: unknown, { bind }: ContentContext): unknown {
  const [unknown] = unknownUserNames(rule);
  if (unknown !== undefined)
    throw validationError(`${unknown} is not known; use ${userNames.map((name) => `$user.${name}`).join(', ')}`);
  if (type.kind === 'component') throw validationError(`rows of ${type.uid}: components have no rows`);
  try {
    const rules = new Map([[type.uid, rowRule(rule, sampleUser, bind.limits)]]);
    bindRule(type, { ...bind, access: { ...bind.access, rules } });
  } catch (error) {
    throw error instanceof ApiError ? validationError(`rows of ${type.uid}: ${error.message}`) : error;
  }
  return servedFilter(rule, type, bind.registry);
}

/** Returns a warning for each row rule that compares entries with something that users choose themselves. */
export const ruleWarnings = ({ rows = {} }: Partial<RoleRules>, settings: AccountSettings): readonly string[] =>
  Object.entries(rows).flatMap(([uid, rule]) =>
    userValues(rule).flatMap((value) => {
      const reason = reasonOf(value, settings);
      return reason === null ? [] : [`the row rule of ${uid} compares with ${value}: ${reason}; compare with $user.id instead`];
    }),
  );

function reasonOf(value: string, settings: AccountSettings): string | null {
  if (value === '$user.username') return 'users choose their names themselves';
  if (value !== '$user.email' || settings.email_confirmation) return null;
  return 'email_confirmation is off, so users can claim any address, and those who chose theirs match no entry';
}
