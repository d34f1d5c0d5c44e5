import type { Config } from '../config/config.js';
import type { ContentContext } from '../content/content-context.js';
import type { AnyRoute, FixedRoute, DynamicRoute, ProjectCode, Row } from '../http/route.js';
import type { Running } from '../http/running.js';
import type { ContentType, Registry } from '../schema/content-type.js';
import type { Components } from './components.js';
import { describerOf } from './content-operations.js';
import type { Operation } from '../http/operation.js';
import type { DescribedRow, DescribeRow, RowAt } from './described-row.js';
import { describeProjectRoute } from './project-operations.js';
import { typeSchemas } from './type-schemas.js';

/**
 * A row of the route table or of a project, with its description. In rows of content types the path contains the name of the
 * type.
 */
export interface ListedOperation extends RowAt {
  readonly operation: Operation;
}

interface ListInput {
  readonly config: Config;
  readonly routes: readonly AnyRoute[];
  /** Code of a project, whose routes have precedence; null if there is none. */
  readonly projectCode: Pick<ProjectCode, 'find' | 'routes'> | null;
  readonly running: Running;
  readonly content: ContentContext;
  /** Returns whether a row is listed. */
  readonly select: (row: Row) => boolean;
  readonly components: Components;
}

/**
 * Returns the selected rows that have a description: those of the service, of content types, and of the project, which replace
 * others.
 */
export function listOperations(input: ListInput): ListedOperation[] {
  const { projectCode, select, components, content } = input;
  const rows = serviceRows(input);
  const answering =
    projectCode === null
      ? rows
      : [
          ...rows.filter(({ method, path }) => projectCode.find(method, samplePath(path)) === null),
          ...projectCode.routes().flatMap((route) => describeProjectRoute(route, rows, content.bind.registry)),
        ];
  const listed = answering
    .filter(({ row }) => select(row))
    .map(({ describe, ...row }) => ({ ...row, operation: describe(components) }));
  return withOwnIds(listed);
}

/** Returns an example of a path that matches. */
const samplePath = (path: string): string => path.replaceAll(/:\w+|\{\/?\*\w+\}/g, '1');

/** Appends numbers to the ids of operations that occur several times. */
function withOwnIds(listed: readonly ListedOperation[]): ListedOperation[] {
  const counts = new Map<string, number>();
  return listed.map((one) => {
    const { id } = one.operation;
    const count = (counts.get(id) ?? 0) + 1;
    counts.set(id, count);
    return count === 1 ? one : { ...one, operation: { ...one.operation, id: `${id}${String(count)}` } };
  });
}

/** Returns the rows of the service, including those of all content types. */
function serviceRows(input: ListInput): DescribedRow[] {
  const { routes, config, content, running } = input;
  const fixed = routes.filter((route): route is FixedRoute => !('find' in route));
  const taken = new Set(fixed.map(({ path }) => path));
  const dynamic = routes.filter((route): route is DynamicRoute => 'find' in route);
  const types = routedTypes(content.bind.registry);
  const ofContent = types.flatMap((type) => dynamic.flatMap((route) => dynamicRows(route, type, running)));
  return [
    ...fixed.flatMap((route) => fixedRows(route, content)),
    ...ofContent.filter(({ path }) => !taken.has(path) && path.startsWith(config.api.rest.prefix)),
  ];
}

const routedTypes = ({ byPluralName, bySingularName }: Registry): ContentType[] => [
  ...byPluralName.values(),
  ...bySingularName.values(),
];

/** Returns a row with its description; nothing if it has none, for example for rows of GraphQL and preflights. */
function fixedRows(route: FixedRoute, content: ContentContext): DescribedRow[] {
  const { accepts, operation } = route;
  if (operation === undefined) return [];
  const describe: DescribeRow = (components) => {
    const schema = typeof accepts === 'function' ? accepts({ content }) : accepts;
    const own = typeof operation === 'function' ? operation(typeSchemas(components)) : operation;
    return { ...own, ...(schema !== undefined && { body: { 'application/json': schema } }) };
  };
  return [{ method: route.method === 'ALL' ? 'GET' : route.method, path: route.path, row: route, describe }];
}

/** Returns the rows of a dynamic path for a type. In paths of single types `localizations` follows the name, without an id. */
function dynamicRows({ path, find }: DynamicRoute, type: ContentType, running: Running): DescribedRow[] {
  const isSingle = type.kind === 'singleType';
  const name = isSingle ? type.singularName : type.pluralName;
  const id = isSingle ? 'localizations' : ':id';
  const rows = [...(find([name, id], running) ?? [])];
  return rows.flatMap(([method, row]) => {
    const describe = row.action === null ? null : describerOf(row.action, type);
    return describe === null ? [] : [{ method, path: path.replace(':name', name).replace(':id', id), row, describe }];
  });
}
