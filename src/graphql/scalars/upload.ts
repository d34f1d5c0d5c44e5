import { GraphQLError, GraphQLScalarType } from 'graphql';

/** A file of a multipart request, as the upload service takes it: bytes to read, once. */
export interface UploadedFile {
  readonly name: string;
  readonly mime: string;
  /** bytes */
  readonly size: number;
  /** Where the file lies while the request runs. */
  readonly path: string;
}

const files = new WeakSet<object>();

/** Marks what the multipart reader put in place of a variable, so that nothing from a JSON body can pass for a file. */
export function asUpload<File extends UploadedFile>(file: File): File {
  files.add(file);
  return file;
}

const invalid = (): GraphQLError => new GraphQLError('Upload value invalid.');

/** A file of a multipart request; comes in a variable only, and never goes out (graphql.md 1.2). */
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
