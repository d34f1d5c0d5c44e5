import { listOf, oneOf, whole, type Schema } from '../http/json-schema.js';
import { answers, parameter, type Describe, type Operation, type TypeSchemas } from '../http/operation.js';
import { uploadFile } from '../schema/content-type.js';

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
export const uploadOperations = {
  upload: describe('uploadFiles', 'Add files; with an id change one', (file) => ({
    query: [parameter('id', 'The id of a file that gets other information or content', whole)],
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
