import type { GuardedRow } from '#http/route.js';
import { unidentified } from '#http/steps/callers.js';
import type { Action } from '#api/rest/actions.js';
import { aggregateRow } from '#api/rest/aggregate/feature.js';
import { createRow, hasUnique } from '#api/rest/content-routes.js';
import { lookUps } from '#api/rest/look-ups.js';
import type { QueryCache } from '#api/rest/read-query.js';
import { isAggregated } from '#model/query/aggregate/aggregation.js';
import { withoutAuthorization } from './code-steps.js';
import type { OrderedRoute } from './route-index.js';

/**
 * Returns routes with the look-ups of collection types: counts and groups below a generated `find`, and the look-up of unique values
 * beside a generated `findOne`. Code that changes or guards one of these actions takes its look-up away. Other routes have precedence,
 * except for a generated `findOne`, which would take `count` and `aggregate` for ids.
 */
export function withLookUps(routes: readonly OrderedRoute[], queries: QueryCache): readonly OrderedRoute[] {
  const added = (rowOf: (route: OrderedRoute) => GuardedRow | null, pathOf: (path: string) => string): OrderedRoute[] =>
    routes.flatMap((route) => {
      const row = rowOf(route);
      return row === null ? [] : [{ ...route, path: pathOf(route.path), row }];
    });
  const below = [
    ...added(
      (route) => lookUpRow(route, lookUps.count, queries),
      (path) => `${path}/count`,
    ),
    ...added(groupsRow, (path) => `${path}/aggregate`),
  ];
  const values = added(
    (route) => lookUpRow(route, lookUps.findByValue, queries),
    (path) => path.replace(/:id$/, 'by/:attribute/:value'),
  );
  const ordered = routes.flatMap((route) => {
    const taken = generatedRow(route, 'findOne') === null ? [] : below.filter(({ path }) => isTaken(path, route.path));
    return [...taken, route];
  });
  return [...ordered, ...below.filter((route) => !ordered.includes(route)), ...values];
}

/** Returns whether the route of one entry, `/things/:id`, would take the last part of a path for an id. */
const isTaken = (path: string, entryPath: string): boolean => path.replace(/[^/]+$/, ':id') === entryPath;

/** Returns the row of groups, which need a right of their own; null if a route is not that of a generated list. */
function groupsRow(route: OrderedRoute): GuardedRow | null {
  const { type } = generatedRow(route, 'find') ?? {};
  return type !== undefined && isAggregated(type) ? aggregateRow(type) : null;
}

/** Returns the row of a look-up that needs the same right as a route; null if the route is none of a generated action. */
function lookUpRow(route: OrderedRoute, action: Action, queries: QueryCache): GuardedRow | null {
  const row = generatedRow(route, action.name);
  const { type } = row ?? {};
  if (row === null || type?.kind !== 'collectionType' || (action === lookUps.findByValue && !hasUnique(type))) return null;
  const lookUp = createRow(type, action, queries);
  return row.steps?.includes(unidentified) ? withoutAuthorization(lookUp) : lookUp;
}

/** Returns the row of a generated action by its name; null if a route has code, or is of another action. */
const generatedRow = ({ row, handler, isGenerated }: OrderedRoute, name: string): GuardedRow | null =>
  isGenerated && 'handle' in row && row.action !== null && handler === `${row.type?.uid ?? ''}.${name}` ? row : null;
