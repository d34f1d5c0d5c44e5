import { findOne } from '#content/find-one.js';
import { remove } from '#content/remove.js';
import { notFoundError } from '#base/errors.js';
import { listOf, oneOf, integer, type Schema } from '#http/json-schema.js';
import { answers, parameter, type Describe, type Operation, type TypeSchemas } from '#http/operation.js';
import { idOf } from '#http/route-request.js';
import { requireKey } from '#http/idempotency/read-key.js';
import { preconditionOf } from '#http/preconditions.js';
import { type Answer, type Route, type RouteCall, rowsOf } from '#http/route.js';
import { conditional } from '#http/steps/conditional.js';
import { keyed } from '#http/steps/keyed.js';
import { tagged } from '#http/steps/tagged.js';
import { fileType } from '#media/decide-type.js';
import { versionOf } from '#store/form/loaded.js';
import { emptyQuery, type Query } from '#model/query/ast.js';
import { bindEntrySelection } from '#model/query/bind-plan.js';
import { parseEntryQuery } from '#model/query/parse-query.js';
import { uploadFile } from '#model/schema/content-type.js';
import { flatEntry } from './envelope.js';
import { readParameters } from '#http/query-string.js';
import { plainList } from './plain-list.js';
import { receive } from './receive-files.js';
import { requiresIfMatch } from './type-options.js';

type Part = Pick<Operation, 'query' | 'body' | 'answers'>;

const describe =
  (id: string, summary: string, more: (file: Schema, schemas: TypeSchemas) => Part): Describe =>
  (schemas) => ({ id, summary, tag: 'Files', ...more(schemas.ofType(uploadFile, 'answer'), schemas) });

const binary: Schema = { type: 'string', format: 'binary' };

const fileInfo = {
  type: 'string',
  description: 'JSON with `name`, `alternativeText` and `caption`; for several files a list, or the field several times',
};

const uploadBody = {
  'multipart/form-data': {
    type: 'object',
    properties: {
      files: oneOf([listOf(binary), binary]),
      fileInfo,
      ref: { type: 'string', description: 'The uid of the type that gets the files' },
      refId: { type: 'string', description: 'The id of the entry that gets the files' },
      field: { type: 'string', description: 'The attribute that gets the files' },
    },
  },
};

/** The descriptions of the routes of the media library. */
const uploadOperations = {
  upload: describe('uploadFiles', 'Add files; with an id change one', (file) => ({
    query: [parameter('id', 'The id of a file that gets other information or content', integer)],
    body: uploadBody,
    answers: answers(oneOf([listOf(file), file]), 'The files; with an id the file'),
  })),
  find: describe('findFiles', 'List files', (file, schemas) => ({
    query: schemas.parameters(uploadFile, 'list'),
    answers: answers(listOf(file), 'The files'),
  })),
  findOne: describe('findFile', 'Read the information of a file', (file, schemas) => ({
    query: schemas.parameters(uploadFile, 'entry'),
    answers: answers(file, 'The file'),
  })),
  destroy: describe('deleteFile', 'Delete a file', (file) => ({ answers: answers(file, 'The file') })),
};

const row = rowsOf('plugin::upload.content-api', uploadOperations);

const steps = [tagged()];

/** The routes of the media library: upload files, change one (`?id=`), list, read and delete files. */
export const uploadRoutes: readonly Route[] = [
  row('POST /upload', 'upload', changeOrUpload, { steps: [...steps, conditional, keyed.part] }),
  row('GET /upload/files', 'find', (call) => plainList(fileType(call.content), call), { steps }),
  row('GET /upload/files/:id', 'findOne', findFile, { steps }),
  row('DELETE /upload/files/:id', 'destroy', deleteFile, { steps: [...steps, conditional, keyed.whole] }),
];

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
  const { limits } = running.config.api;
  const query = parseEntryQuery(readParameters(call.request.query, limits), limits);
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
  const demanded = preconditionOf(request.headers, { changes: true, isRequired: requiresIfMatch(type) });
  const file = (await remove({ ...demanded, type, id: idOf(call) }, emptyQuery, content)) ?? missing();
  return { body: flatEntry(file, content) };
}

function missing(): never {
  throw notFoundError('file.notFound');
}
