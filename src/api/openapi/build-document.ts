import type { Config } from '#settings/config.js';
import type { ProjectCode } from '#http/project-code.js';
import type { AnyRoute, RouteCall } from '#http/route.js';
import { Components } from './components.js';
import { listOperations, shapeOf, type ListedOperation } from './list-operations.js';
import { errorAnswers, type AnswerDescription, type Content, type Errors, type Operation } from '#http/operation.js';
import { stepsOf } from '#http/steps/chain.js';
import { record, text, integer, type Schema } from '#http/json-schema.js';
import { isAllowed, openRows } from './shown-attributes.js';
import { isRecord, mapValues } from '#base/values.js';

/** The settings and routes that the document describes. */
interface Described {
  readonly config: Config;
  readonly routes: readonly AnyRoute[];
  readonly projectCode: ProjectCode | null;
  readonly version: string;
}

/** Returns the JSON of the document with the operations that a caller may use. */
export async function writeDocument(call: RouteCall, { config, routes, projectCode, version }: Described): Promise<string> {
  const { content, running } = call;
  const { registry, access } = content.bind;
  const components = new Components(registry, access, config.api.rest.flatten);
  const listed = listOperations({ config, routes, projectCode, running, content, select: isAllowed(call.caller), components });
  const operations = await addExamples(listed, call);
  const isPublic = await openRows(call);
  const error = components.named('Error', () => errorSchema);
  const paths: Record<string, Record<string, object>> = {};
  const defined = operations.flatMap(({ row }) => stepsOf(row).flatMap(({ defines }) => defines ?? []));
  const written = writtenPaths(operations);
  for (const listed of operations) {
    const path = written.get(shapeOf(listed.path)) ?? listed.path;
    (paths[templateOf(path)] ??= {})[listed.method.toLowerCase()] = showOperation({ ...listed, path }, isPublic(listed.row));
  }
  return JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Mangrove', description: about, version },
    servers: [{ url: '/' }],
    tags: tagsOf(operations),
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'A token of a user, or an API token' } },
      parameters: merge(defined.map(({ parameters }) => parameters)),
      responses: Object.fromEntries(
        [errors, ...defined.map((one) => one.errors ?? {})]
          .flatMap((one) => Object.values(one))
          .map(({ name, description }) => [name, { description, content: contentOf({ 'application/json': error }) }]),
      ),
      schemas: components.schemas(),
    },
  });
}

/**
 * Returns the spelling of each path shape, because paths that differ only in parameter names must be one path. The first spelling
 * is used, but one that ends in `:id` only if there is no other.
 */
function writtenPaths(operations: readonly ListedOperation[]): ReadonlyMap<string, string> {
  const paths = operations.map(({ path }) => path);
  const named = [...paths].sort((a, b) => Number(a.endsWith('/:id')) - Number(b.endsWith('/:id')));
  return new Map(named.reverse().map((path) => [shapeOf(path), path]));
}

const about =
  'The operations that the reader of this document may use; with an admin token all of them. Nested filters and populate are ' +
  'written in brackets, as `filters[title][$contains]=tree`.';

const errorSchema: Schema = {
  type: 'object',
  required: ['data', 'error'],
  properties: {
    data: { type: 'null' },
    error: { ...record({ status: integer, name: text, message: text, details: {} }, ['status', 'name', 'message']) },
  },
};

/** Descriptions of the errors of all operations, by status. */
const errors: Errors = {
  400: { name: 'BadRequest', description: 'The request is wrong; the message names the parameter or the attribute' },
  401: { name: 'Unauthorized', description: 'Credentials are missing or wrong' },
  403: { name: 'Forbidden', description: 'The caller may not do this' },
  404: { name: 'NotFound', description: 'There is no such entry' },
  default: { name: 'Failed', description: 'The request failed' },
};

const answersOfErrors = errorAnswers(errors);

/** Returns one object with all properties. */
const merge = <Values extends object>(objects: readonly (Values | undefined)[]): Values =>
  Object.assign({}, ...objects) as Values; // the type of each

function showOperation({ operation, method, path, row }: ListedOperation, isPublic: boolean): object {
  const added = stepsOf(row).flatMap(({ describe }) => describe?.({ method, path }) ?? []);
  const { id, summary, description, tag, query = [], body, answers } = operation;
  const parameters = [
    ...pathParameters(path, operation),
    ...query.map((parameter) => ({ ...parameter, in: 'query' })),
    ...added.flatMap(({ parameters = [] }) => parameters),
  ];
  return {
    operationId: id,
    summary,
    ...(description !== undefined && { description }),
    tags: [tag],
    security: isPublic ? [{}, { bearer: [] }] : [{ bearer: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: { required: true, content: contentOf(body) } }),
    responses: {
      ...mapValues(answers, (answer) => showAnswer(answer, merge(added.map(({ headers }) => headers)))),
      ...merge(added.map((one) => one.responses)),
      ...answersOfErrors,
    },
  };
}

/** Returns the tags in the order of operations, those of content types first. */
function tagsOf(operations: readonly ListedOperation[]): object[] {
  const [content, others] = [true, false].map((isContent) =>
    operations.filter(({ row }) => (row.action?.startsWith('api::') ?? false) === isContent),
  );
  const names = [...(content ?? []), ...(others ?? [])].map(({ operation }) => operation.tag);
  return [...new Set(names)].map((name) => ({ name }));
}

const showAnswer = ({ description, content, example }: AnswerDescription, headers: object): object => ({
  description,
  ...(Object.keys(headers).length > 0 && { headers }),
  ...(content !== undefined && { content: contentOf(content, example) }),
});

const contentOf = (content: Content, example?: unknown): object =>
  mapValues(content, (schema) => ({ schema, ...(example !== undefined && { example }) }));

/**
 * Returns a path as OpenAPI writes it: `/api/articles/{id}` for `/api/articles/:id`, `/uploads/{name}` for `/uploads/{*name}`.
 */
const templateOf = (path: string): string => path.replaceAll(/\{\/?\*(\w+)\}/g, '{$1}').replaceAll(/:(\w+)/g, '{$1}');

const pathParameters = (path: string, { inPath }: Operation): object[] =>
  [...templateOf(path).matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: inPath ?? (name === 'id' ? integer : text),
  }));

/** Maximum number of content types with an example. Each example takes a request. */
const mostExamples = 50;

/** Adds examples to lists and single types: the first entry that the caller may read. */
async function addExamples(operations: readonly ListedOperation[], call: RouteCall): Promise<ListedOperation[]> {
  const chosen = operations.filter((operation) => takesExample(operation, call)).slice(0, mostExamples);
  const examples = new Map(await Promise.all(chosen.map(async (listed) => [listed, await readExample(listed, call)] as const)));
  return operations.map((listed) => withExample(listed, examples.get(listed)));
}

/**
 * Returns whether an operation gets an example: if it reads a whole type, and no row rules restrict the caller, so that all
 * callers with the same rights see the same entry.
 */
function takesExample({ method, path, row }: ListedOperation, { content }: RouteCall): boolean {
  const { action } = row;
  const uid = action?.startsWith('api::') === true && action.endsWith('.find') ? action.slice(0, -'.find'.length) : null;
  return (
    uid !== null && method === 'GET' && !path.includes(':') && !('describedAs' in row) && !content.bind.access.rules.has(uid)
  );
}

/** Returns the example; undefined if there is no entry, or it cannot be read. */
async function readExample({ row }: ListedOperation, call: RouteCall): Promise<unknown> {
  if (!('handle' in row) || row.action === null) return undefined;
  try {
    const { body } = await row.handle({ ...call, request: call.request.with({}, { query: 'pagination[pageSize]=1' }) });
    const { data } = isRecord(body) ? body : {};
    return Array.isArray(data) && data.length === 0 ? undefined : body;
  } catch {
    return undefined; // usually a single type without an entry
  }
}

function withExample(listed: ListedOperation, example: unknown): ListedOperation {
  const { operation } = listed;
  const answer = operation.answers['200'];
  if (example === undefined || answer === undefined) return listed;
  return { ...listed, operation: { ...operation, answers: { ...operation.answers, 200: { ...answer, example } } } };
}
