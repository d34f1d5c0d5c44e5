import type { ContentContext } from '../../content/content-context.js';
import { forbiddenError } from '../../errors.js';
import type { Filter } from '../../query/ast.js';
import { type Access, fullAccess, type RowRule } from '../../query/access.js';
import { type ContentType, type Registry, uploadFile } from '../../schema/content-type.js';
import type { PanelCall } from '../panel-route.js';
import { explorer } from './actions.js';
import { permittedAttributes } from './field-paths.js';
import type { PanelPermission } from './permission.js';
import { permissionsFor, type Rights } from './rights.js';

/** What is done with entries. */
export type EntryAction = 'create' | 'read' | 'update' | 'delete' | 'publish';

/**
 * Returns the context in which an administrator does something with entries of a type: fields that their permissions do not name are
 * hidden, and entries that meet none of the conditions are not found. Throws a ForbiddenError if no permission allows it.
 */
export function contentFor({ content, rights }: PanelCall, action: EntryAction, type: ContentType): ContentContext {
  const access = rights.isSuper ? wholeAccess : limitedAccess(rights, action, type, content.bind.registry);
  return { ...content, createsDrafts: true, bind: { ...content.bind, access } };
}

const wholeAccess: Access = { ...fullAccess, seesPrivate: true };

function limitedAccess(rights: Rights, action: EntryAction, type: ContentType, registry: Registry): Access {
  const permissions = permissionsFor(rights, `${explorer}.${action}`, type.uid);
  if (permissions.length === 0) throw forbiddenError();
  const hidden = hiddenFromReaders(rights, registry);
  if (action !== 'delete' && action !== 'publish') hidden.set(type.uid, hiddenBy(permissions, type));
  const rule = ruleOf(permissions, rights);
  return { ...wholeAccess, hidden, rules: new Map(rule === null ? [] : [[type.uid, rule]]) };
}

/** Returns the attributes of all types that the administrator may not read. Files and creators are seen by everybody. */
function hiddenFromReaders(rights: Rights, { types }: Registry): Map<string, ReadonlySet<string>> {
  const limited = [...types.values()].filter(
    ({ uid, kind }) => kind !== 'component' && uid !== uploadFile && !uid.startsWith('admin::'),
  );
  return new Map(limited.map((type) => [type.uid, hiddenBy(permissionsFor(rights, `${explorer}.read`, type.uid), type)]));
}

/** Returns the attributes that none of the permissions names. Inside components, the form of an entry decides by the whole path. */
function hiddenBy(permissions: readonly PanelPermission[], type: ContentType): ReadonlySet<string> {
  const named = new Set(
    permissions.flatMap(({ properties }) => properties.fields ?? []).map((path) => path.split('.')[0] ?? path),
  );
  return new Set(permittedAttributes(type).flatMap(({ name }) => (named.has(name) ? [] : [name])));
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
  const met =
    conditions.length === 0 ? [] : [{ kind: 'or', filters: conditions.map((name) => conditionOf(name, rights)) } as const];
  const all = [...locales, ...met];
  return all.length === 0 ? null : { kind: 'and', filters: all };
}

/** Returns the filter of a condition; one that no entry meets for an unknown one. */
function conditionOf(name: string, { administrator }: Rights): Filter {
  if (name === 'admin::is-creator') return field('createdBy', field('id', isIn([administrator.id])));
  const roles = administrator.roles.map(({ id }) => id);
  if (name === 'admin::has-same-role-as-creator') return field('createdBy', field('roles', field('id', isIn(roles))));
  return field('id', isIn([]));
}

const field = (name: string, filter: Filter): Filter => ({ kind: 'field', name, filter });
const isIn = (value: readonly unknown[]): Filter => ({ kind: 'comparison', operator: 'in', value });
