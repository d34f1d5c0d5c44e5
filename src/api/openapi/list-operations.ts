import type { Config } from '#settings/config.js';
import type { ContentContext } from '#content/content-context.js';
import { anything, text } from '#http/json-schema.js';
import { answers, json, type Operation } from '#http/operation.js';
import type { ProjectCode, ProjectRoute } from '#http/project-code.js';
import type { AnyRoute, FixedRoute, DynamicRoute, GuardedRow, Row } from '#http/route.js';
import type { RunningService } from '#http/running.js';
import type { ContentType, Registry } from '#model/schema/content-type.js';
import { pascalCase } from '#model/schema/names.js';
import type { Components } from './components.js';
import { describerOf, type DescribeRow } from './content-operations.js';
import { typeSchemas } from './query-parameters.js';

/**
 * A row of the route table or of a project, with its description. In rows of content types the path contains the name of the
 * type.
 */
export interface ListedOperation {
  readonly method: string;
  /** A path such as `/api/articles/:id`. */
  readonly path: string;
  readonly row: Row;
  readonly operation: Operation;
}

/** A row that can be described. */
type DescribedRow = Omit<ListedOperation, 'operation'> & { readonly describe: DescribeRow };

/** Returns the shape of a path, without the names of its parameters. */
export const shapeOf = (path: string): string => path.replaceAll(/:\w+/g, ':');

interface ListInput {
  readonly config: Config;
  readonly routes: readonly AnyRoute[];
  /** Code of a project, whose routes have precedence; null if there is none. */
  readonly projectCode: Pick<ProjectCode, 'find' | 'routes'> | null;
  readonly running: RunningService;
  readonly content: ContentContext;
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
  const { byPluralName, bySingularName } = content.bind.registry;
  const types = [...byPluralName.values(), ...bySingularName.values()];
  const ofContent = types.flatMap((type) => dynamic.flatMap((route) => dynamicRows(route, type, running)));
  return [
    ...fixed.flatMap((route) => fixedRows(route, content)),
    ...ofContent.filter(({ path }) => !taken.has(path) && path.startsWith(config.api.rest.prefix)),
  ];
}

/** Returns the function that describes a row by its own description. */
const describing =
  (operation: NonNullable<GuardedRow['operation']>): DescribeRow =>
  (components) =>
    typeof operation === 'function' ? operation(typeSchemas(components)) : operation;

/** Returns a row with its description; nothing if it has none, for example for rows of GraphQL and preflights. */
function fixedRows(route: FixedRoute, content: ContentContext): DescribedRow[] {
  const { accepts, operation } = route;
  if (operation === undefined) return [];
  const describe: DescribeRow = (components) => {
    const schema = typeof accepts === 'function' ? accepts({ content }) : accepts;
    return { ...describing(operation)(components), ...(schema !== undefined && { body: { 'application/json': schema } }) };
  };
  return [{ method: route.method === 'ALL' ? 'GET' : route.method, path: route.path, row: route, describe }];
}

/** Returns the rows of a dynamic path for a type. In paths of single types `localizations` follows the name, without an id. */
function dynamicRows({ path, find }: DynamicRoute, type: ContentType, running: RunningService): DescribedRow[] {
  const isSingle = type.kind === 'singleType';
  const name = isSingle ? type.singularName : type.pluralName;
  const id = isSingle ? 'localizations' : ':id';
  const rows = [...(find([name, id], running) ?? [])];
  return rows.flatMap(([method, row]) => {
    const describe = 'handle' in row && row.action !== null ? describerIn(row, type) : null;
    return describe === null ? [] : [{ method, path: path.replace(':name', name).replace(':id', id), row, describe }];
  });
}

const describerIn = ({ operation, describedAs, action }: GuardedRow, type: ContentType): DescribeRow | null =>
  operation === undefined ? describerOf(describedAs ?? action, type) : describing(operation);

/**
 * Describes a route of a project. A generated action has the description of the service. An overridden one has it without the
 * answer, which depends on the code. Others have only method and path. `service` are the rows of the service.
 */
function describeProjectRoute(route: ProjectRoute, service: readonly DescribedRow[], registry: Registry): DescribedRow[] {
  const { method, path, row, handler, isGenerated } = route;
  const methods = method === 'ALL' ? ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] : [method];
  const [uid, action] = split(handler ?? '');
  const type = registry.types.get(uid);
  const replaced = service.find((one) => one.method === method && shapeOf(one.path) === shapeOf(path));
  const core = type === undefined ? null : describerOf(action, type);
  const base = replaced?.describe ?? (method === 'ALL' ? null : core);
  if (isGenerated && base !== null) return [{ method, path, row, describe: base }];
  return methods.map((one) => ({ method: one, path, row, describe: describeCode({ ...route, method: one }, { base, type }) }));
}

/** Splits `api::page.page.bySlug` into uid and action name. */
const split = (handler: string): readonly [uid: string, action: string] => [
  handler.slice(0, handler.lastIndexOf('.')),
  handler.slice(handler.lastIndexOf('.') + 1),
];

/** The description of the action that code overrides, and the type of the action. */
interface Described {
  readonly base: DescribeRow | null;
  readonly type: ContentType | undefined;
}

function describeCode({ method, path, handler }: ProjectRoute, { base, type }: Described): DescribeRow {
  const code = handler === null ? 'A function of the project' : `\`${handler}\` of the project`;
  const [uid, action] = split(handler ?? '');
  const name = handler === null ? `${method.toLowerCase()} ${path}` : `${uid.split('.').at(-1) ?? ''} ${action}`;
  const own: Operation = {
    id: idOf(name),
    summary: handler === null ? `${method} ${path}` : wordsOf(action),
    tag: type?.displayName ?? tagOf(uid),
    ...(bodied.has(method) && { body: { ...json(anything), 'multipart/form-data': { type: 'object' } } }),
    answers: {},
  };
  return (components) => ({
    ...own,
    ...base?.(components),
    description: `${code} answers.`,
    inPath: text,
    answers: answers(anything, 'What the code answers'),
  });
}

const bodied: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** Returns an operation id such as `postBySlug`. */
function idOf(name: string): string {
  const words = pascalCase(name.replaceAll(/[^A-Za-z0-9]+/g, '_'));
  return words.charAt(0).toLowerCase() + words.slice(1);
}

/** Returns `By slug` for `bySlug`. */
function wordsOf(action: string): string {
  const words = action.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Returns the name of the API or plugin: `page` for `api::page.other`. */
const tagOf = (uid: string): string => uid.split('::').at(-1)?.split('.')[0] || 'Code of the project';
