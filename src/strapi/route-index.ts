import type { RouteParams } from '../http/route-request.js';
import type { ProjectRoute, RouteMatch, Row, Rows } from '../http/route.js';
import { compilePath, startOf, type PathMatcher } from './route-paths.js';

/** A path, and what answers there by method. */
interface PathRows {
  readonly matcher: PathMatcher;
  /** Null: there is nothing there, though the service would serve it by itself. */
  readonly rows: Map<string, Row> | null;
}

/** The paths of a project for one snapshot of the models. */
export interface RouteIndex {
  readonly byStart: ReadonlyMap<string, readonly PathRows[]>;
  readonly others: readonly PathRows[];
  /** Those that requests reach. */
  readonly routes: readonly ProjectRoute[];
}

/** Returns the index of routes in their order; of two with the same method and path the first counts. `closed`: paths where nothing is. */
export function indexRoutes(routes: readonly ProjectRoute[], closed: readonly string[]): RouteIndex {
  const paths = new Map<string, PathRows>();
  for (const { method, path, row } of routes) {
    const known = paths.get(path) ?? { matcher: compilePath(path), rows: new Map<string, Row>() };
    paths.set(path, known);
    if (known.rows?.has(method) === false) known.rows.set(method, row);
  }
  for (const path of closed) if (!paths.has(path)) paths.set(path, { matcher: compilePath(path), rows: null });
  const index = groupPaths([...paths.values()]);
  const shown = routes.map((route) => ({ ...route, path: paths.get(route.path)?.matcher.shown ?? route.path }));
  return { ...index, routes: shown.filter((route) => isReached(route, index)) };
}

function groupPaths(paths: readonly PathRows[]): Omit<RouteIndex, 'routes'> {
  const byStart = new Map<string, PathRows[]>();
  for (const path of paths) {
    const { start } = path.matcher;
    if (start !== null) byStart.set(start, [...(byStart.get(start) ?? []), path]);
  }
  return { byStart, others: paths.filter(({ matcher }) => matcher.start === null) };
}

/** Whether no route before this one takes its requests, as far as a path with numbers for its parameters shows. */
function isReached({ method, path, row }: ProjectRoute, index: Pick<RouteIndex, 'byStart' | 'others'>): boolean {
  const found = findRows(method, path.replaceAll(/:\w+/g, '1'), index)?.rows?.get(method);
  return found === undefined || found === row;
}

/** Returns the rows of the first path that fits and has the method, else of all that fit; null if none fits. */
export function findRows(
  method: string,
  path: string,
  { byStart, others }: Pick<RouteIndex, 'byStart' | 'others'>,
): RouteMatch | null {
  const asked = method === 'HEAD' ? 'GET' : method;
  let last: RouteMatch | null = null;
  for (const { matcher, rows } of [...(byStart.get(startOf(path) ?? '') ?? []), ...others]) {
    const params = matcher.match(path);
    if (params === null) continue;
    const match = { rows, params };
    if (rows?.has(asked) === true || rows?.has('ALL') === true) return match;
    last = join(last, match);
  }
  return last;
}

const join = (one: RouteMatch | null, other: { rows: Rows | null; params: RouteParams }): RouteMatch =>
  one?.rows && other.rows ? { params: one.params, rows: new Map([...other.rows, ...one.rows]) } : (one ?? other);
