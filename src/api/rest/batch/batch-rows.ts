import { ApiError, fieldErrors } from '#base/errors.js';
import type { ProjectCode } from '#http/project-code.js';
import type { DynamicRoute, GuardedRow, Row, Rows } from '#http/route.js';
import type { RouteParams } from '#http/route-request.js';
import type { RunningService } from '#http/running.js';
import { unidentified } from '#http/steps/callers.js';
import type { ContentType } from '#model/schema/content-type.js';
import type { BatchItem } from './read-batch.js';

/** The row that answers a write, and the content type that it writes. */
export interface FoundRow {
  readonly row: GuardedRow;
  readonly type: ContentType;
  readonly params: RouteParams;
}

export interface RowSources {
  /** The routes of content types. */
  readonly routes: readonly DynamicRoute[];
  /** Code of a project, whose routes have precedence; null if there is none. */
  readonly projectCode: ProjectCode | null;
  readonly prefix: string;
}

type Item = Pick<BatchItem, 'method' | 'path'>;

/**
 * Returns the row that would answer a write on its own. Throws a ValidationError for paths that are none of content types, and for
 * those that code of a project answers or has changed; and a 405 for methods that a path does not have.
 */
export function findRow({ method, path }: Item, at: readonly string[], sources: RunningSources): FoundRow {
  const foundRow = findPath({ method, path }, sources);
  const row = foundRow?.rows?.get(method);
  if (foundRow === null || foundRow.rows === null) throw refused(at, `${path} is not a path of a content type`);
  if (row === undefined) throw new ApiError(405, 'MethodNotAllowedError', 'Method Not Allowed', { details: null });
  const own = ownRow(row, foundRow.params);
  if (own === null)
    throw refused(at, `${method} ${path} is answered or opened by code of the project, so it cannot be part of a batch`);
  return own;
}

/** Returns the row that answers a write, if code of a project has not changed it; null otherwise. */
export function findOwnRow(item: Item, sources: RunningSources): FoundRow | null {
  const found = findPath(item, sources);
  const row = found?.rows?.get(item.method);
  return found === null || row === undefined ? null : ownRow(row, found.params);
}

interface RunningSources extends RowSources {
  readonly running: RunningService;
}

function findPath({ method, path }: Item, { routes, projectCode, prefix, running }: RunningSources): Found | null {
  const whole = `${prefix}${path.replace(/(.)\/$/, '$1')}`;
  return projectCode?.find(method, whole) ?? findGenerated(whole, routes, running);
}

function ownRow(row: Row, params: RouteParams): FoundRow | null {
  if (row.action === null || !('handle' in row) || row.type === undefined || row.steps?.includes(unidentified)) return null;
  return { row, type: row.type, params };
}

const refused = (at: readonly string[], problem: string): Error =>
  fieldErrors([{ path: [...at, 'path'], message: `${[...at, 'path'].join('.')}: ${problem}` }]);

interface Found {
  readonly rows: Rows | null;
  readonly params: RouteParams;
}

function findGenerated(path: string, routes: readonly DynamicRoute[], running: RunningService): Found | null {
  for (const route of routes) {
    const captures = capturesOf(route.path, path);
    if (captures === null) continue;
    const params = captures.map(([name, value]) => [name, decodeURIComponent(value)] as const);
    return {
      rows: route.find(
        captures.map(([, value]) => value),
        running,
      ),
      params: Object.fromEntries(params),
    };
  }
  return null;
}

/** Returns the parameters of a path by the pattern of a route, not decoded; null if it does not match. */
function capturesOf(pattern: string, path: string): (readonly [name: string, value: string])[] | null {
  const [wanted, given] = [pattern.split('/'), path.split('/')];
  const pairs = wanted.map((part, index) => [part, given[index] ?? ''] as const);
  const isVariable = (part: string): boolean => part.startsWith(':');
  const fits = pairs.every(([part, value]) => (isVariable(part) ? value !== '' : value === part));
  if (!fits || wanted.length !== given.length) return null;
  return pairs.filter(([part]) => isVariable(part)).map(([part, value]) => [part.slice(1), value]);
}
