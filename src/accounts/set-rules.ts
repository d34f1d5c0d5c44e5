import { parseRule, userNames } from '../access/role-access.js';
import type { FieldRule, RoleRules } from '../access/role.js';
import { notFoundError, validationError } from '../errors.js';
import { updateEntry } from '../mongo/write-entries.js';
import type { ContentContext } from '../content/content-context.js';
import { bindFilter } from '../query/bind-filter.js';
import { isValues } from '../schema/check-input.js';
import type { ContentType } from '../schema/content-type.js';
import type { Body } from './accounts.js';
import { asService } from './user-store.js';

/** Replaces the rules of a role: `{ fields: { uid: { allow | deny } }, rows: { uid: filter } }`. Throws a ValidationError. */
export async function setRules(roleId: number, body: Body, content: ContentContext): Promise<RoleRules | null> {
  const rules = checkRules(body, asService(content));
  const update = { $set: { _rules: rules, updatedAt: new Date() } };
  const role = await updateEntry(content.store, 'up_roles', { match: { _id: roleId }, update, projection: { _id: 1 } });
  if (role === null) throw notFoundError('Role not found');
  return rules;
}

function checkRules(body: Body, content: ContentContext): RoleRules | null {
  const fields = Object.entries(partOf(body, 'fields')).map(
    ([uid, rule]) => [uid, checkFields(typeOf(uid, content), rule)] as const,
  );
  const rows = Object.entries(partOf(body, 'rows')).map(
    ([uid, rule]) => [uid, checkRow(typeOf(uid, content), rule, content)] as const,
  );
  return fields.length + rows.length === 0 ? null : { fields: Object.fromEntries(fields), rows: Object.fromEntries(rows) };
}

function partOf(body: Body, name: 'fields' | 'rows'): Body {
  const part = body[name] ?? {};
  if (!isValues(part) || Array.isArray(part)) throw validationError(`${name} must be an object with uids as keys`);
  return part;
}

function typeOf(uid: string, { bind }: ContentContext): ContentType {
  const type = bind.registry.types.get(uid);
  if (type === undefined) throw validationError(`there is no type ${uid}`);
  return type;
}

function checkFields(type: ContentType, rule: unknown): FieldRule {
  const { allow, deny } = isValues(rule) ? rule : {};
  if ((allow === undefined) === (deny === undefined)) throw validationError(`fields of ${type.uid}: either allow or deny`);
  const names: unknown = allow ?? deny;
  if (!Array.isArray(names)) throw validationError(`fields of ${type.uid}: a list of attributes`);
  const unknown = names.find((name) => !type.attributes.has(String(name)));
  if (unknown !== undefined) throw validationError(`fields of ${type.uid}: there is no attribute ${String(unknown)}`);
  const list = names.map(String);
  return allow === undefined ? { deny: list } : { allow: list };
}

/** Whoever the user is, the filter must fit the type. */
function checkRow(type: ContentType, rule: unknown, { bind }: ContentContext): unknown {
  refuseUnknownNames(rule);
  if (type.kind === 'component') throw validationError(`rows of ${type.uid}: components have no rows`);
  const sample = { id: 1, username: '', email: '', role: 1, blocked: false, confirmed: true, tokenVersion: 0 };
  bindFilter(parseRule(rule, sample, bind.limits), type, bind);
  return rule;
}

function refuseUnknownNames(rule: unknown): void {
  if (typeof rule === 'string' && rule.startsWith('$user.') && !userNames.has(rule.slice('$user.'.length)))
    throw validationError(`${rule} is not known; use ${[...userNames].map((name) => `$user.${name}`).join(', ')}`);
  if (typeof rule === 'object' && rule !== null) Object.values(rule).forEach(refuseUnknownNames);
}
