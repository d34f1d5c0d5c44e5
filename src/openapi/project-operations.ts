import type { ProjectRoute } from '../http/route.js';
import type { ContentType, Registry } from '../schema/content-type.js';
import { pascalCase } from '../schema/names.js';
import { describerOf } from './content-operations.js';
import { answers, json, type Operation } from '../http/operation.js';
import { shapeOf, type DescribedRow, type DescribeRow } from './described-row.js';
import { anything, text } from '../http/json-schema.js';

/**
 * Describes a route of a project. A generated action has the description of the service. An overridden one has it without the
 * answer, which depends on the code. Others have only method and path. `service` are the rows of the service.
 */
export function describeProjectRoute(route: ProjectRoute, service: readonly DescribedRow[], registry: Registry): DescribedRow[] {
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

interface AboutCode {
  /** Description of the action that the code overrides. */
  readonly base: DescribeRow | null;
  readonly type: ContentType | undefined;
}

function describeCode({ method, path, handler }: ProjectRoute, { base, type }: AboutCode): DescribeRow {
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
