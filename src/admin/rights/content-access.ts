import type { ContentContext } from '#content/content-context.js';
import { forbiddenError } from '#base/errors.js';
import type { Filter } from '#model/query/ast.js';
import { type Access, fullAccess, type RowRule } from '#model/query/access.js';
import { type Attribute, type ContentType, type Registry, uploadFile } from '#model/schema/content-type.js';
import type { EntryCaller } from '../panel-route.js';
import { explorer } from './actions.js';
import { isInternal, permittedAttributes } from './field-paths.js';
import type { PanelPermission } from './permission.js';
import { fieldsFor, fieldsInAll, permissionsFor, type Rights } from './rights.js';

/** What is done with entries. */
export type EntryAction = 'create' | 'read' | 'update' | 'delete' | 'publish';

/**
 * Returns the context in which an administrator does something with entries of a type: fields that their permissions do not name are
 * hidden, and entries that meet none of the conditions are not found. Throws a ForbiddenError if no permission allows it.
 */
export function contentFor({ content, rights }: EntryCaller, action: EntryAction, type: ContentType): ContentContext {
  const { registry } = content.bind;
  const access = rights.isSuper ? wholeAccess : limitedAccess(rights, action, type, registry);
  const readAccess = action === 'read' ? { ...access, hidden: withSecrets(access.hidden, registry) } : access;
  // The panel asks for whole entries and sends them back, whatever the administrator may see; strict mode would refuse all of that.
  const settings = { ...content.bind.settings, strict: false, ofOptions: true } as const;
  return {
    ...content,
    createsDrafts: true,
    author: rights.administrator.id,
    bind: { ...content.bind, access: readAccess, settings },
  };
}

const wholeAccess: Access = { ...fullAccess, seesPrivate: true };

const isSecret = (attribute: Attribute, type: ContentType): boolean =>
  (attribute.kind === 'scalar' && attribute.type === 'password') || isInternal(attribute, type);

/** What content shows of its creators, and can be filtered by. */
const shownOfCreators: ReadonlySet<string> = new Set(['firstname', 'lastname', 'username']);

const isUnknownOfCreators = ({ name }: Attribute): boolean => !shownOfCreators.has(name);

/**
 * Returns hidden attributes with all passwords and tokens of users, which nobody may read here, and all but the names of administrators.
 */
function withSecrets(hidden: Access['hidden'], registry: Registry): Access['hidden'] {
  const all = new Map(hidden);
  for (const [uid, names] of secretsOf(registry)) all.set(uid, new Set([...names, ...(hidden.get(uid) ?? [])]));
  return all;
}

function secretsOf(registry: Registry): Access['hidden'] {
  const secrets = [...registry.types.values()].map((type) => {
    const isHidden = type.uid === 'admin::user' ? isUnknownOfCreators : isSecret;
    const names = [...type.attributes.values()].filter((attribute) => isHidden(attribute, type)).map(({ name }) => name);
    return [type.uid, new Set(names)] as const;
  });
  return new Map(secrets.filter(([, names]) => names.size > 0));
}

function limitedAccess(rights: Rights, action: EntryAction, type: ContentType, registry: Registry): Access {
  const permissions = permissionsFor(rights, `${explorer}.${action}`, type.uid);
  if (permissions.length === 0) throw forbiddenError();
  const shownPaths = pathsOfReaders(rights, registry);
  const named = action === 'delete' || action === 'publish' ? permissionsFor(rights, `${explorer}.read`, type.uid) : permissions;
  // a new entry may have what any permission names
  const paths = action === 'create' ? new Set(named.flatMap(({ properties }) => properties.fields ?? [])) : fieldsInAll(named);
  shownPaths.set(type.uid, [...paths]);
  const hidden = new Map([...shownPaths].map(([uid, shown]) => [uid, hiddenBy(shown, registry.types.get(uid))]));
  const linkRules = rulesOfReaders(rights, registry);
  const rules = new Map(linkRules);
  const rule = ruleOf(permissions, rights);
  if (rule === null) rules.delete(type.uid);
  else rules.set(type.uid, rule);
  return { ...wholeAccess, hidden, shownPaths, rules, linkRules };
}

/** Returns the rules of the entries that the administrator may read, by type. Types without permissions show no values at all. */
function rulesOfReaders(rights: Rights, { types }: Registry): Access['rules'] {
  const rules = [...types.keys()].map((uid) => {
    const permissions = permissionsFor(rights, `${explorer}.read`, uid);
    return [uid, permissions.length === 0 ? null : ruleOf(permissions, rights)] as const;
  });
  return new Map(rules.flatMap(([uid, rule]) => (rule === null ? [] : [[uid, rule]])));
}

/** Returns the paths of the attributes that the administrator may read, by type. Files and creators are seen by everybody. */
function pathsOfReaders(rights: Rights, { types }: Registry): Map<string, readonly string[]> {
  const limited = [...types.values()].filter(
    ({ uid, kind }) => kind !== 'component' && !uid.startsWith('plugin::upload.') && !uid.startsWith('admin::'),
  );
  return new Map(limited.map(({ uid }) => [uid, [...fieldsFor(rights, uid)]]));
}

/** Returns the attributes of a type that none of the paths leads to. */
function hiddenBy(paths: readonly string[], type: ContentType | undefined): ReadonlySet<string> {
  const named = new Set(paths.map((path) => path.split('.', 1)[0]));
  return new Set(type === undefined ? [] : permittedAttributes(type).flatMap(({ name }) => (named.has(name) ? [] : [name])));
}

/** Returns the rule that the entries of the permissions meet; null if one permission holds for all entries. */
function ruleOf(permissions: readonly PanelPermission[], rights: Rights): RowRule | null {
  const filters = permissions.map((permission) => filterOf(permission, rights));
  if (filters.includes(null)) return null;
  return { filter: { kind: 'or', filters: filters.filter((filter) => filter !== null) }, owner: {}, isOwnership: false };
}

/** Returns the filter of a permission: its locales, and any of its conditions. */
function filterOf({ properties, conditions }: PanelPermission, rights: Rights): Filter | null {
  const locales = properties.locales === undefined ? [] : [field('locale', isIn(properties.locales))];
  const isMet = conditions.length === 0 || conditions.some((name) => rights.conditions.get(name) === true);
  const met = isMet ? [] : [{ kind: 'or', filters: conditions.map((name) => conditionOf(name, rights)) } as const];
  const all = [...locales, ...met];
  return all.length === 0 ? null : { kind: 'and', filters: all };
}

/** Returns the filter of a condition; one that no entry meets for an unknown one. */
function conditionOf(name: string, { administrator, conditions }: Rights): Filter {
  const result = conditions.get(name);
  if (typeof result === 'object') return result.filter;
  if (name === 'admin::is-creator') return field('createdBy', field('id', isIn([administrator.id])));
  const roles = administrator.roles.map(({ id }) => id);
  if (name === 'admin::has-same-role-as-creator') return field('createdBy', field('roles', field('id', isIn(roles))));
  return field('id', isIn([]));
}

const field = (name: string, filter: Filter): Filter => ({ kind: 'field', name, filter });
const isIn = (value: readonly unknown[]): Filter => ({ kind: 'comparison', operator: 'in', value });

/**
 * Returns the context of an action on files. Those that meet none of the conditions of the permissions are not found. Throws a
 * ForbiddenError if no permission allows it.
 */
export function filesFor({ content, rights }: EntryCaller, action: `plugin::upload.${string}`): ContentContext {
  const permissions = permissionsFor(rights, action);
  if (!rights.isSuper && permissions.length === 0) throw forbiddenError();
  const rule = rights.isSuper ? null : ruleOf(permissions, rights);
  const rules = new Map(rule === null ? [] : [[uploadFile, rule]]);
  const hidden = new Map([...secretsOf(content.bind.registry)].filter(([uid]) => uid !== uploadFile));
  const access: Access = { ...wholeAccess, hidden, rules };
  return { ...content, author: rights.administrator.id, bind: { ...content.bind, access } };
}
