import { GraphQLError, GraphQLScalarType } from 'graphql';
import type { UploadedFile } from '../../media/staging.js';

const files = new WeakSet<object>();

/** Marks what the multipart reader put in place of a variable, so that nothing from a JSON body can pass for a file. */
export function asUpload(file: UploadedFile): UploadedFile {
  files.add(file);
  return file;
}

const invalid = (): GraphQLError => new GraphQLError('Upload value invalid.');

/** A file of a multipart request; comes in a variable only, and never goes out. */
export const uploadScalar = new GraphQLScalarType({
  name: 'Upload',
  description: 'The `Upload` scalar type represents a file upload.',
  serialize: () => {
    throw new GraphQLError('Upload serialization unsupported.');
  },
  parseValue: (value) => {
    if (typeof value !== 'object' || value === null || !files.has(value)) throw invalid();
    return value;
  },
  parseLiteral: (node) => {
    throw new GraphQLError('Upload literal unsupported.', { nodes: node });
  },
});
