import type { ContentContext } from '../../content/content-context.js';
import type { Registry } from '../../schema/content-type.js';
import { contentActions, pluginActions, settingsActions, subjectsOf } from './actions.js';
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

function listPermissions({ registry, locales }: Models): readonly PanelPermission[] {
  const shown = [...pluginActions, ...settingsActions].filter(({ action }) => action !== asksForeignHost);
  const plain = shown.map(({ action }) => ({ action, subject: null, properties: {} }));
  const content = contentActions.flatMap((each) =>
    subjectsOf(each, registry).map((type) => {
      const limits = each.applyToProperties;
      const properties: PermissionProperties = {
        ...(limits.includes('fields') && { fields: fieldPaths(type, registry) }),
        ...(limits.includes('locales') && type.localized && { locales }),
      };
      return { action: each.actionId, subject: type.uid, properties };
    }),
  );
  return [...content, ...plain].map((permission, index) => ({
    id: index + 1,
    actionParameters: {},
    conditions: [],
    ...permission,
  }));
}
