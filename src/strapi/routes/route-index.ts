import type { RouteParams } from '#http/route-request.js';
import type { ProjectRoute, RouteMatch } from '#http/project-code.js';
import type { Row, Rows } from '#http/route.js';
import { appendTo } from '#base/values.js';
import { compilePath, partsOf, type PathMatcher } from './route-paths.js';

/** A route, in the order of registration. */
export interface OrderedRoute extends ProjectRoute {
  /** Whether code has not changed this route of the service, so that the route table answers it. */
  readonly isUnchanged: boolean;
  /** Whether code has removed this route of the service, so that nothing answers it. */
  readonly isRemoved?: true;
}

/** A path and its rows by method. */
interface PathRows {
  readonly matcher: PathMatcher;
  /** Methods that the route table answers. */
  readonly unchanged: Set<string>;
  /** Methods whose route code has removed. */
  readonly removed: Set<string>;
  /** Null if the path is closed, so that the service does not serve it itself. */
  readonly rows: Map<string, Row> | null;
}

/** Paths by the first parts of the requests that may match them, each list in the order of registration. */
interface PathIndex {
  /** By two parts, such as `api/pages`, or by the only fixed one, such as `api`. */
  readonly byStart: ReadonlyMap<string, readonly PathRows[]>;
  /** For all other requests. */
  readonly others: readonly PathRows[];
}

/** The index of a project's routes for one registry. */
export interface RouteIndex extends PathIndex {
  /** Routes that requests can reach. */
  readonly routes: readonly ProjectRoute[];
}

const emptyPath = (path: string, rows: PathRows['rows']): PathRows => ({
  matcher: compilePath(path),
  unchanged: new Set(),
  removed: new Set(),
  rows,
});

/**
 * Returns the index of routes. If two have the same method and path, the first one is used. `closed` are paths that are not
 * served.
 */
export function indexRoutes(routes: readonly OrderedRoute[], closed: readonly string[]): RouteIndex {
  const paths = new Map<string, PathRows>();
  for (const { method, path, row, isUnchanged, isRemoved } of routes) {
    const rows = paths.get(path) ?? emptyPath(path, new Map());
    paths.set(path, rows);
    if (rows.rows?.has(method) !== false) continue;
    if (isRemoved === true) {
      rows.removed.add(method);
      continue;
    }
    rows.rows.set(method, row);
    if (isUnchanged) rows.unchanged.add(method);
  }
  for (const path of closed) if (!paths.has(path)) paths.set(path, emptyPath(path, null));
  const index = groupPaths([...paths.values()]);
  const changed = routes.filter(({ isUnchanged }) => !isUnchanged);
  const shown = changed.map((route) => ({ ...route, path: paths.get(route.path)?.matcher.pattern ?? route.path }));
  return { ...index, routes: shown.filter((route) => isReached(route, index)) };
}

/** Every list has all paths that may match, so that a request looks at one list. */
function groupPaths(paths: readonly PathRows[]): PathIndex {
  const order = new Map(paths.map((path, index) => [path, index]));
  const ofStart = new Map<string, PathRows[]>();
  for (const path of paths) appendTo(ofStart, path.matcher.start.join('/'), path);
  const of = (start: string): readonly PathRows[] => ofStart.get(start) ?? [];
  const listOf = (start: string): readonly PathRows[] => {
    const [first = ''] = start.split('/');
    const all = [...new Set([...of(start), ...of(first), ...of('')])];
    return all.sort((one, other) => (order.get(one) ?? 0) - (order.get(other) ?? 0));
  };
  const starts = [...ofStart.keys()].filter((start) => start !== '');
  return { byStart: new Map(starts.map((start) => [start, listOf(start)])), others: of('') };
}

/** Returns the paths that may match the path of a request. */
function candidatesFor(path: string, { byStart, others }: PathIndex): readonly PathRows[] {
  const [first = '', second] = partsOf(path);
  return (second === undefined ? undefined : byStart.get(`${first}/${second}`)) ?? byStart.get(first) ?? others;
}

/**
 * Returns whether requests reach a route, and not an earlier one. This is tested with one example path, whose parameters are
 * numbers.
 */
function isReached({ method, path, row }: ProjectRoute, index: PathIndex): boolean {
  const found = findRows(method, path.replaceAll(/:\w+/g, '1'), index)?.rows?.get(method);
  return found === undefined || found === row;
}

/**
 * Returns the rows of the first matching path that has the method, or of all matching paths if none has it. Returns null if no path
 * matches, or if the route table answers the method of the first one.
 */
export function findRows(method: string, path: string, index: PathIndex): RouteMatch | null {
  const asked = method === 'HEAD' ? 'GET' : method;
  let last: RouteMatch | null = null;
  const candidates = candidatesFor(path, index);
  for (const { matcher, rows, unchanged } of candidates) {
    const params = matcher.match(path);
    if (params === null) continue;
    // The route table would answer by a removed route without parameters.
    if (unchanged.has(asked)) return candidates.some((one) => isRemoved(one, asked, path)) ? { rows: null, params } : null;
    const match = { rows, params };
    if (rows?.has(asked) === true || rows?.has('ALL') === true) return match;
    last = join(last, match);
  }
  return last;
}

const isRemoved = ({ removed, matcher }: PathRows, method: string, path: string): boolean =>
  removed.has(method) && !matcher.pattern.includes(':') && matcher.match(path) !== null;

const join = (one: RouteMatch | null, other: { rows: Rows | null; params: RouteParams }): RouteMatch =>
  one?.rows && other.rows ? { params: one.params, rows: new Map([...other.rows, ...one.rows]) } : (one ?? other);
