import { findMany } from '../content/find-many.js';
import { findOne } from '../content/find-one.js';
import { remove } from '../content/remove.js';
import { notFoundError } from '../errors.js';
import { idOf } from '../http/route-request.js';
import { requireKey } from '../http/idempotency/read-key.js';
import { preconditionOf } from '../http/preconditions.js';
import type { Answer, Route, RouteCall } from '../http/route.js';
import { fileType } from '../media/decide-type.js';
import { versionOf } from '../mongo/form/loaded.js';
import { emptyQuery, type Query } from '../query/ast.js';
import { bindEntrySelection } from '../query/bind-plan.js';
import { parseWhole, refuseMixedPagination } from '../query/parse-list.js';
import { parseEntryQuery, parseQuery } from '../query/parse-query.js';
import { flatEntries, flatEntry } from './envelope.js';
import { readParameters } from '../http/query-string.js';
import { receive } from './receive-files.js';
import { uploadOperations } from './upload-operations.js';

type Place = Pick<Route, 'method' | 'path' | 'keys'>;

const route = ({ path, ...place }: Place, name: keyof typeof uploadOperations, handle: Route['handle']): Route => ({
  ...place,
  path: `/upload${path}`,
  action: `plugin::upload.content-api.${name}`,
  operation: uploadOperations[name],
  isTagged: true,
  ...(place.method !== 'GET' && { readsPreconditions: true }),
  handle,
});

/** The routes of the media library: upload files, change one (`?id=`), list, read and delete files. */
export const uploadRoutes: readonly Route[] = [
  route({ method: 'POST', path: '', keys: 'part' }, 'upload', changeOrUpload),
  route({ method: 'GET', path: '/files' }, 'find', listFiles),
  route({ method: 'GET', path: '/files/:id' }, 'findOne', findFile),
  route({ method: 'DELETE', path: '/files/:id', keys: 'whole' }, 'destroy', deleteFile),
];

/** Maximum number of files in a list, also if the request has no limit, or a limit of 0. */
const longestList = 10_000;

/** Answers with a list of files, without envelope. */
async function listFiles(call: RouteCall): Promise<Answer> {
  const { content, running } = call;
  const input = parametersOf(call);
  refuseMixedPagination(input);
  const window = { start: parseWhole('start', input) ?? 0, limit: parseWhole('limit', input) || longestList };
  const pagination = { kind: 'offset', ...window, withCount: false } as const;
  const asked = parseQuery(without(input, paging), running.config.api.limits);
  const query = { ...asked, publicationState: asked.publicationState ?? 'preview', pagination, withTotal: false };
  const settings = { ...content.bind.settings, maxLimit: longestList };
  const { entries } = await findMany(fileType(content), query, {
    ...content,
    bind: { ...content.bind, settings },
  });
  return { body: flatEntries(entries, content) };
}

/** Pagination parameters. Only `start` and `limit` have an effect, as in Strapi v4. */
const paging: ReadonlySet<string> = new Set(['start', 'limit', 'page', 'pageSize', 'pagination']);

const without = (input: Readonly<Record<string, unknown>>, names: ReadonlySet<string>) =>
  Object.fromEntries(Object.entries(input).filter(([name]) => !names.has(name)));

async function findFile(call: RouteCall): Promise<Answer> {
  const { content } = call;
  const query = queryOfFile(call);
  const file = (await findOne(fileType(content), idOf(call), query, content)) ?? missing();
  return { version: versionOf(file), body: flatEntry(file, content) };
}

/**
 * Returns the query for one file, of which only `populate` has an effect, as in Strapi v4. Throws a ValidationError for a query
 * string that requests for other entries refuse.
 */
function queryOfFile(call: RouteCall): Query {
  if (call.request.query === '') return emptyQuery; // code may have changed the query of a request without one
  const { content, running } = call;
  const query = parseEntryQuery(parametersOf(call), running.config.api.limits);
  bindEntrySelection(query, fileType(content), content.bind);
  return { ...emptyQuery, populate: query.populate };
}

async function changeOrUpload(call: RouteCall): Promise<Answer> {
  queryOfFile(call);
  return receive(call);
}

async function deleteFile(call: RouteCall): Promise<Answer> {
  const { content, request } = call;
  queryOfFile(call);
  const type = fileType(content);
  requireKey(type, request.headers);
  const demanded = preconditionOf(request.headers, { changes: true, isRequired: type.requiresIfMatch });
  const file = (await remove({ ...demanded, type, id: idOf(call) }, emptyQuery, content)) ?? missing();
  return { body: flatEntry(file, content) };
}

const parametersOf = ({ request, running }: RouteCall) => readParameters(request.query, running.config.api.limits);

function missing(): never {
  throw notFoundError('file.notFound');
}
