import type { ContentContext } from '../../content/content-context.js';
import type { ContentType, Registry } from '../../schema/content-type.js';
import { type ContentAction, contentActions, pluginActions, settingsActions, subjectsOf } from './actions.js';
import { fieldPaths } from './field-paths.js';
import type { PanelPermission, PermissionProperties } from './permission.js';

/** The parts of a context that permissions depend on. */
type Models = Pick<ContentContext['bind'], 'registry' | 'locales'>;

/**
 * Returns all permissions: those of a super admin. They are not stored, so that a new type, attribute or locale is allowed at once.
 */
export function allPermissions({ bind }: Pick<ContentContext, 'bind'>): readonly PanelPermission[] {
  const known = cached.get(bind.registry);
  if (known !== undefined && known.locales === bind.locales) return known.permissions;
  const permissions = listPermissions(bind);
  cached.set(bind.registry, { locales: bind.locales, permissions });
  return permissions;
}

const cached = new WeakMap<Registry, { readonly locales: Models['locales']; readonly permissions: readonly PanelPermission[] }>();

/** The action without which the panel hides the marketplace. Its page asks a foreign host for plugins, which could not run here. */
const asksForeignHost = 'admin::marketplace.read';

/** Returns the permission for an action on all entries of a type, with all their attributes. */
export function wholePermission(
  { actionId, applyToProperties }: ContentAction,
  type: ContentType,
  { registry, locales }: Models,
) {
  const properties: PermissionProperties = {
    ...(applyToProperties.includes('fields') && { fields: fieldPaths(type, registry) }),
    ...(applyToProperties.includes('locales') && type.localized && { locales }),
  };
  return { action: actionId, subject: type.uid, properties };
}

function listPermissions({ registry, locales }: Models): readonly PanelPermission[] {
  const shown = [...pluginActions, ...settingsActions].filter(({ action }) => action !== asksForeignHost);
  const plain = shown.map(({ action }) => ({ action, subject: null, properties: {} }));
  const content = contentActions.flatMap((action) =>
    subjectsOf(action, registry).map((type) => wholePermission(action, type, { registry, locales })),
  );
  return [...content, ...plain].map((permission, index) => ({
    id: index + 1,
    actionParameters: {},
    conditions: [],
    ...permission,
  }));
}
