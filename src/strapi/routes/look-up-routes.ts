import type { GuardedRow } from '#http/route.js';
import { unidentified } from '#http/steps/callers.js';
import type { Action } from '#api/rest/actions.js';
import { createRow, hasUnique } from '#api/rest/content-routes.js';
import { count, findByValue } from '#api/rest/look-ups.js';
import type { QueryCache } from '#api/rest/read-query.js';
import { withoutAuthorization } from './code-steps.js';
import type { OrderedRoute } from './route-index.js';

/**
 * Returns routes with the look-ups of collection types: a count below a generated `find`, and the look-up of unique values beside a
 * generated `findOne`. Code that changes or guards one of these actions takes its look-up away. Other routes have precedence, except
 * for a generated `findOne`, which would take `count` for an id.
 */
export function withLookUps(routes: readonly OrderedRoute[], queries: QueryCache): readonly OrderedRoute[] {
  const added = (action: Action, pathOf: (path: string) => string): OrderedRoute[] =>
    routes.flatMap((route) => {
      const row = lookUpRow(route, action, queries);
      return row === null ? [] : [{ ...route, path: pathOf(route.path), row }];
    });
  const counts = added(count, (path) => `${path}/count`);
  const values = added(findByValue, (path) => path.replace(/:id$/, 'by/:attribute/:value'));
  const ordered = routes.flatMap((route) => {
    const counting = generatedRow(route, 'findOne') && counts.find(({ path }) => path === route.path.replace(/:id$/, 'count'));
    return counting ? [counting, route] : [route];
  });
  return [...ordered, ...counts.filter((route) => !ordered.includes(route)), ...values];
}

/** Returns the row of a look-up that needs the same right as a route; null if the route is none of a generated action. */
function lookUpRow(route: OrderedRoute, action: Action, queries: QueryCache): GuardedRow | null {
  const row = generatedRow(route, action.name);
  const { type } = row ?? {};
  if (row === null || type?.kind !== 'collectionType' || (action === findByValue && !hasUnique(type))) return null;
  const lookUp = createRow(type, action, queries);
  return row.steps?.includes(unidentified) ? withoutAuthorization(lookUp) : lookUp;
}

/** Returns the row of a generated action by its name; null if a route has code, or is of another action. */
const generatedRow = ({ row, handler, isGenerated }: OrderedRoute, name: string): GuardedRow | null =>
  isGenerated && 'handle' in row && row.action !== null && handler === `${row.type?.uid ?? ''}.${name}` ? row : null;
