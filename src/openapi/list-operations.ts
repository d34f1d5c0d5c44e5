import type { Config } from '../config/config.js';
import type { ContentContext } from '../content/content-context.js';
import type { AnyRoute, FixedRoute, LateRoute, Row } from '../http/route.js';
import type { Running } from '../http/running.js';
import type { ContentType, Registry } from '../schema/content-type.js';
import { accountOperations } from './account-operations.js';
import { adminOperations } from './admin-operations.js';
import type { Components } from './components.js';
import { describeAction } from './content-operations.js';
import type { Describe, Operation } from './operation.js';
import { serviceOperations } from './service-operations.js';

const described: Readonly<Record<string, Describe>> = { ...serviceOperations, ...accountOperations, ...adminOperations };

/** The rows that are described, as `GET /users`. */
export const describedRows: readonly string[] = Object.keys(described);

/** A row of the route table with its description. Rows of content types have the path of their type. */
export interface ListedOperation {
  readonly method: string;
  /** `/api/articles/:id` */
  readonly path: string;
  readonly row: Row;
  readonly operation: Operation;
}

interface ListInput {
  readonly config: Config;
  readonly routes: readonly AnyRoute[];
  readonly running: Running;
  readonly content: ContentContext;
  /** Whether a row is listed. */
  readonly select: (row: Row) => boolean;
  readonly components: Components;
}

/** Returns the rows of the route table that are selected and described, with those of each content type of the registry. */
export function listOperations(input: ListInput): ListedOperation[] {
  const { routes, config } = input;
  const fixed = routes.filter((route): route is FixedRoute => !('find' in route));
  const taken = new Set(fixed.map(({ path }) => path));
  const ofService = fixed.flatMap((route) => listFixed(route, input));
  const late = routes.filter((route): route is LateRoute => 'find' in route);
  const types = routedTypes(input.content.bind.registry);
  const ofContent = types.flatMap((type) => late.flatMap((route) => listLate(route, type, input)));
  return [...ofService, ...ofContent.filter(({ path }) => !taken.has(path) && path.startsWith(config.api.rest.prefix))];
}

const routedTypes = ({ byPluralName, bySingularName }: Registry): ContentType[] => [
  ...byPluralName.values(),
  ...bySingularName.values(),
];

/** Returns the description of a row; null if it has none, as GraphQL and the answers to preflights. */
export function describeRow({ method, path }: Pick<FixedRoute, 'method' | 'path'>, { api }: Config): Describe | null {
  const below = path.startsWith(`${api.rest.prefix}/`) ? path.slice(api.rest.prefix.length) : path;
  return described[`${method} ${path}`] ?? described[`${method} ${below}`] ?? null;
}

function listFixed(route: FixedRoute, { config, components, content, select }: ListInput): ListedOperation[] {
  const describe = select(route) ? describeRow(route, config) : null;
  if (describe === null) return [];
  const operation = describe(components);
  const { accepts } = route;
  const schema = typeof accepts === 'function' ? accepts({ content }) : accepts;
  const body = schema === undefined ? operation.body : { 'application/json': schema };
  const method = route.method === 'ALL' ? 'GET' : route.method;
  return [{ method, path: route.path, row: route, operation: { ...operation, ...(body !== undefined && { body }) } }];
}

/** The names in the path of a single type have no ids behind them, but their localizations. */
function listLate({ path, find }: LateRoute, type: ContentType, { running, select, components }: ListInput): ListedOperation[] {
  const isSingle = type.kind === 'singleType';
  const name = isSingle ? type.singularName : type.pluralName;
  const id = isSingle ? 'localizations' : ':id';
  const rows = [...(find([name, id], running) ?? [])].filter(([, row]) => select(row));
  return rows.flatMap(([method, row]) => {
    const operation = row.action === null ? null : describeAction(row.action, type, components);
    return operation === null ? [] : [{ method, path: pathOf(path, name, id), row, operation }];
  });
}

const pathOf = (path: string, name: string, id: string): string => path.replace(':name', name).replace(':id', id);
