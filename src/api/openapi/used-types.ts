import { actionsOn, pluginActions } from '#content/rights/known-actions.js';
import { allows, actionOf } from '#model/query/access.js';
import type { ContentType } from '#model/schema/content-type.js';
import type { Components } from './components.js';

/** Returns the content types on which the caller may do an action, by their name in paths; users and files by uid. */
export function usedTypes(components: Components): readonly (readonly [name: string, type: ContentType])[] {
  const { byPluralName, bySingularName, types } = components.registry;
  const routed = [...byPluralName, ...bySingularName].filter(([, type]) => allowedOn(type, components).length > 0);
  const isShown = (uid: string): boolean => pluginActions[uid]?.some((action) => allows(components.access, action)) === true;
  return [...routed, ...[...types].filter(([uid]) => isShown(uid))];
}

/** Returns the actions that the caller may do on a type. */
export const allowedOn = (type: ContentType, { access }: Components): string[] =>
  type.uid.startsWith('api::') ? namesOf(type).filter((action) => allows(access, actionOf(type, action))) : [];

/** Returns the actions on a type for which the client has methods. */
const namesOf = (type: ContentType): readonly string[] =>
  type.kind === 'collectionType' ? [...actionsOn(type), 'aggregate'] : actionsOn(type);
