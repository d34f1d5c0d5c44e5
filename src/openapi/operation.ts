import type { Row } from '../http/route.js';
import type { Components } from './components.js';
import { text, type Schema } from './schema.js';

/** A parameter of the query string. */
export interface QueryParameter {
  readonly name: string;
  readonly description: string;
  readonly schema: Schema;
  readonly required?: boolean;
  readonly style?: 'form' | 'deepObject';
  readonly explode?: boolean;
  /** An example value. Without one, documentation pages generate one. */
  readonly example?: unknown;
}

/** Schemas by media type. */
export type Content = Readonly<Record<string, Schema>>;

export interface AnswerDescription {
  readonly description: string;
  /** Absent if there is no body. */
  readonly content?: Content;
  /** An example of the content. */
  readonly example?: unknown;
}

/** The description of a row of the route table, in addition to its method, path and required right. */
export interface Operation {
  /** Unique name of the operation. */
  readonly id: string;
  readonly summary: string;
  readonly tag: string;
  readonly description?: string;
  /** Schema of the path parameters. By default ids are numbers and others are strings. */
  readonly inPath?: Schema;
  readonly query?: readonly QueryParameter[];
  readonly body?: Content;
  /** Answers by status. Errors need not be listed. */
  readonly answers: Readonly<Record<string, AnswerDescription>>;
}

/** Describes a row. Shared schemas are taken from the components of the document. */
export type Describe = (components: Components) => Operation;

/** The method and path of a row. */
export interface RowAt {
  readonly method: string;
  /** A path such as `/api/articles/:id`. */
  readonly path: string;
  readonly row: Row;
}

/** A row with its description. */
export interface DescribedRow extends RowAt {
  readonly describe: Describe;
}

/** Returns the shape of a path, without the names of its parameters. */
export const shapeOf = (path: string): string => path.replaceAll(/:\w+/g, ':');

export const json = (schema: Schema): Content => ({ 'application/json': schema });

/** Returns a 200 answer with JSON. */
export const answers = (schema: Schema, description = 'The answer'): Operation['answers'] => ({
  200: { description, content: json(schema) },
});

/** The content of an HTML page. */
const html: Content = { 'text/html': text };

/** Returns a redirect of a browser. */
export const redirects = (description: string): Operation['answers'] => ({ 302: { description, content: html } });

/** Returns a parameter with one value. */
export const parameter = (name: string, description: string, schema: Schema = text): QueryParameter => ({
  name,
  description,
  schema,
});
