import { uploadFile } from '../schema/content-type.js';
import type { Components } from './components.js';
import { flatSchema } from './entry-schemas.js';
import { answers, json, parameter, type Describe, type Operation, type QueryParameter } from './operation.js';
import { entryParameters, flatListParameters } from './query-parameters.js';
import { anything, flag, listOf, oneOf, orNull, record, text, whole, type Schema } from './schema.js';

const fileSchema = (components: Components): Schema => {
  const type = components.registry.types.get(uploadFile);
  return type === undefined ? anything : flatSchema(type, components);
};

const files =
  (id: string, summary: string, more: (components: Components) => Pick<Operation, 'query' | 'body' | 'answers'>): Describe =>
  (components) => ({ id, summary, tag: 'Files', ...more(components) });

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

const fileQuery = (components: Components, list: typeof entryParameters): readonly QueryParameter[] => {
  const type = components.registry.types.get(uploadFile);
  return type === undefined ? [] : list(type, components);
};

const status: Schema = { type: 'string', enum: ['ok', 'failed'] };
const readiness = record({ status, checks: { type: 'object', additionalProperties: status } });

const modelSchema = record({ uid: text, plugin: text, apiID: text, schema: { type: 'object' } }, ['uid', 'apiID', 'schema']);
const partSchema = record({ uid: text, category: text, apiId: text, schema: { type: 'object' } });

const models = (id: string, summary: string, data: Schema): Describe => {
  const query = id === 'findModels' ? [parameter('kind', 'Only types of one kind', kinds)] : [];
  return () => ({ id, summary, tag: 'Models', query, answers: answers(record({ data })) });
};

const kinds: Schema = { type: 'string', enum: ['collectionType', 'singleType'] };

const locale = record({ id: whole, name: text, code: text, createdAt: orNull(text), updatedAt: orNull(text), isDefault: flag }, [
  'id',
  'name',
  'code',
  'isDefault',
]);

/**
 * Descriptions of all operations except those on users, content and administration, by row. Paths of the API are relative to its
 * prefix.
 */
export const serviceOperations: Readonly<Record<string, Describe>> = {
  'ALL /_health': () => ({
    id: 'health',
    summary: 'Check that the process runs',
    tag: 'Health',
    answers: { 204: { description: 'The process runs' } },
  }),
  'ALL /_health/ready': () => ({
    id: 'ready',
    summary: 'Check whether the service is ready',
    tag: 'Health',
    answers: {
      ...answers(readiness, 'The service is ready'),
      503: { description: 'The service is not ready', content: json(readiness) },
    },
  }),
  'GET /uploads/{*name}': () => ({
    id: 'readFile',
    summary: 'Read the content of a file; images also in other sizes',
    tag: 'Files',
    query: [
      parameter('width', 'Width of an image in pixels', whole),
      parameter('height', 'Height of an image in pixels', whole),
      parameter('format', 'Format of an image'),
    ],
    answers: {
      200: { description: 'The file', content: { '*/*': binary } },
      206: { description: 'A part of the file', content: { '*/*': binary } },
    },
  }),
  'POST /upload': files('uploadFiles', 'Add files; with an id change one', (components) => ({
    query: [parameter('id', 'The id of a file that gets other information or content', whole)],
    body: uploadBody,
    answers: answers(oneOf([listOf(fileSchema(components)), fileSchema(components)]), 'The files; with an id the file'),
  })),
  'GET /upload/files': files('findFiles', 'List files', (components) => ({
    query: fileQuery(components, flatListParameters),
    answers: answers(listOf(fileSchema(components)), 'The files'),
  })),
  'GET /upload/files/:id': files('findFile', 'Read the information of a file', (components) => ({
    query: fileQuery(components, entryParameters),
    answers: answers(fileSchema(components), 'The file'),
  })),
  'DELETE /upload/files/:id': files('deleteFile', 'Delete a file', (components) => ({
    answers: answers(fileSchema(components), 'The file'),
  })),
  'GET /i18n/locales': () => ({
    id: 'findLocales',
    summary: 'List locales',
    tag: 'Locales',
    answers: answers(listOf(locale), 'The locales'),
  }),
  'GET /content-type-builder/content-types': models('findModels', 'List content types', listOf(modelSchema)),
  'GET /content-type-builder/content-types/:uid': models('findModel', 'Read a content type', modelSchema),
  'GET /content-type-builder/components': models('findComponents', 'List components', listOf(partSchema)),
  'GET /content-type-builder/components/:uid': models('findComponent', 'Read a component', partSchema),
  'GET /openapi.json': () => ({
    id: 'readDocument',
    summary: 'Read this document',
    tag: 'Models',
    description: 'Lists the operations that the caller may use; with an admin token all of them.',
    answers: answers({ type: 'object' }, 'An OpenAPI document'),
  }),
  'GET /types.d.ts': () => ({
    id: 'readTypes',
    summary: 'Read the content types as TypeScript',
    tag: 'Models',
    description: 'Contains the types on which the caller may do something; with an admin token all of them.',
    answers: { 200: { description: 'Declarations', content: { 'application/typescript': text } } },
  }),
};
