import { forbiddenError } from '#base/errors.js';
import type { Feature, RouteParts } from '#http/feature.js';
import type { RouteCall } from '#http/route.js';
import { isSynced } from '#http/sync-option.js';
import type { ContentType } from '#model/schema/content-type.js';

type Code = Pick<NonNullable<RouteParts['projectCode']>, 'find'>;

/** Returns whether code of the project answers the list of a type, guards it by policies or middlewares, or does not serve it. */
function isGuarded({ pluralName, uid }: ContentType, code: Code, { api }: RouteParts['config']): boolean {
  const found = code.find('GET', `${api.rest.prefix}/${pluralName}`);
  if (found === null) return false; // the route table has the list
  const row = found.rows?.get('GET');
  return row === undefined || !('handle' in row) || row.action === null || row.type?.uid !== uid;
}

/** Throws a ForbiddenError for a type with a guarded list: a copy would pass the code. Clients remove what they have copied before. */
export function refuseGuardedList(
  { request: { params }, content }: RouteCall,
  { projectCode, config }: Pick<RouteParts, 'projectCode' | 'config'>,
): void {
  const type = content.bind.registry.byPluralName.get(params['plural'] ?? '');
  if (projectCode === null || type === undefined || !isGuarded(type, projectCode, config)) return;
  throw forbiddenError(
    `GET of ${type.pluralName} is answered or guarded by code of the project, or not served, so its entries cannot be synced`,
  );
}

/** Returns a warning of the synced types with guarded lists, which nobody can sync; none if there are no such types. */
export const guardedListWarnings: NonNullable<Feature['codeWarnings']> = (code, { config, registry }) => {
  const guarded = [...registry.byPluralName.values()].filter((type) => isSynced(type) && isGuarded(type, code, config));
  if (guarded.length === 0) return [];
  const paths = guarded.map(({ pluralName }) => `GET ${config.api.rest.prefix}/${pluralName}`).sort();
  return [
    `Sync and shapes answer 403 to everybody, because code of the project answers or guards the list, or does not serve it: ${paths.join(', ')}. ` +
      'Let row rules of roles do what the code does and leave the list to the service, or remove pluginOptions.sync from the model',
  ];
};
