import { noteAdministrator } from '#api/code/caller-state.js';
import type { ContentContext } from '#content/content-context.js';
import type { Panel } from './panel.js';
import { Ability } from './rights/ability.js';
import { actionNames } from './rights/actions.js';
import { allPermissions } from './rights/all-permissions.js';
import type { Rights } from './rights/rights.js';
import { filtersOf } from './rights/test-conditions.js';

interface AdministratorCall {
  readonly rights: Rights;
  readonly panel: Pick<Panel, 'actions'>;
  readonly content: ContentContext;
}

/**
 * Tells code the administrator who has sent a request, in `ctx.state`, as Strapi v4 does, but without hashes and tokens. What they may
 * do is worked out when code asks for it.
 */
export function tellAdministrator(state: object, call: AdministratorCall): void {
  const { profile, roles } = call.rights.administrator;
  let ability: Ability | null = null;
  noteAdministrator(state, {
    kind: 'administrator',
    user: { ...profile, roles: roles.map((role) => ({ ...role })) },
    ability: () => (ability ??= abilityOf(call)),
  });
}

/** Returns what an administrator may do. Permissions for actions that nobody has registered do not count. */
export function abilityOf({ rights, panel, content }: AdministratorCall): Ability {
  const { administrator, isSuper, permissions, conditions } = rights;
  const actions = panel.actions();
  const names = actionNames(actions);
  return new Ability(isSuper ? allPermissions(content, actions) : permissions.filter(({ action }) => names.has(action)), (name) =>
    filtersOf(name, administrator, conditions),
  );
}
