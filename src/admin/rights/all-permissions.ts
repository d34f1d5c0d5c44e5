import type { ContentContext } from '#content/content-context.js';
import type { ContentType, Registry } from '#model/schema/content-type.js';
import { type Actions, type ContentAction, subjectsOf } from './actions.js';
import { fieldPaths } from './field-paths.js';
import type { PanelPermission, PermissionProperties } from './permission.js';

/** The parts of a context that permissions depend on. */
type Models = Pick<ContentContext['bind'], 'registry' | 'locales'>;

/**
 * Returns all permissions: those of a super admin. They are not stored, so that a new type, attribute or locale is allowed at once.
 */
export function allPermissions({ bind }: Pick<ContentContext, 'bind'>, actions: Actions): readonly PanelPermission[] {
  const { registry, locales } = bind;
  const cachedPermissions = cached.get(registry);
  if (cachedPermissions?.locales === locales && cachedPermissions.actions === actions) return cachedPermissions.permissions;
  const permissions = listPermissions(bind, actions);
  cached.set(registry, { locales, actions, permissions });
  return permissions;
}

interface ListedPermissions {
  readonly locales: Models['locales'];
  readonly actions: Actions;
  readonly permissions: readonly PanelPermission[];
}

const cached = new WeakMap<Registry, ListedPermissions>();

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

function listPermissions({ registry, locales }: Models, actions: Actions): readonly PanelPermission[] {
  const shown = [...actions.plugins, ...actions.settings].map(({ action }) => action).filter((name) => name !== asksForeignHost);
  const plain = [...shown, ...actions.internal].map((action) => ({ action, subject: null, properties: {} }));
  const content = actions.content.flatMap((action) =>
    subjectsOf(action, registry).map((type) => wholePermission(action, type, { registry, locales })),
  );
  return [...content, ...plain].map((permission, index) => ({
    id: index + 1,
    actionParameters: {},
    conditions: [],
    ...permission,
  }));
}
