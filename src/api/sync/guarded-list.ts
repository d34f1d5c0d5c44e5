import { forbiddenError } from '#base/errors.js';
import type { RouteParts } from '#http/feature.js';
import type { RouteCall } from '#http/route.js';

/**
 * Throws a ForbiddenError for a type whose list code of the project answers, guards by policies or middlewares, or does not serve: a copy
 * would pass it. Clients remove what they have copied before.
 */
export function refuseGuardedList(
  { request: { params }, content }: RouteCall,
  { projectCode, config }: Pick<RouteParts, 'projectCode' | 'config'>,
): void {
  const type = content.bind.registry.byPluralName.get(params['plural'] ?? '');
  if (projectCode === null || type === undefined) return;
  const found = projectCode.find('GET', `${config.api.rest.prefix}/${type.pluralName}`);
  if (found === null) return; // the route table has the list
  const row = found.rows?.get('GET');
  if (row !== undefined && 'handle' in row && row.action !== null && row.type?.uid === type.uid) return;
  throw forbiddenError(
    `GET of ${type.pluralName} is answered or guarded by code of the project, or not served, so its entries cannot be synced`,
  );
}
