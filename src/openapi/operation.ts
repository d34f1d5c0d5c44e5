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
  /** An example value. Without one, documentation pages generate their own. */
  readonly example?: unknown;
}

/** Schemas by media type. */
export type Content = Readonly<Record<string, Schema>>;

export interface AnswerDescription {
  readonly description: string;
  /** Absent: there is no body. */
  readonly content?: Content;
  /** An answer to such a request. */
  readonly example?: unknown;
}

/** The description of a row of the route table, besides its method, path and required right. */
export interface Operation {
  /** The unique name of the operation. */
  readonly id: string;
  readonly summary: string;
  readonly tag: string;
  readonly description?: string;
  /** The schemas of the parameters in the path. By default numbers for ids, else strings. */
  readonly inPath?: Schema;
  readonly query?: readonly QueryParameter[];
  readonly body?: Content;
  /** By status; errors need not be listed. */
  readonly answers: Readonly<Record<string, AnswerDescription>>;
}

/** Describes a row. Schemas that several rows use are taken from the components of the document. */
export type Describe = (components: Components) => Operation;

/** A row, and where it is. */
export interface RowAt {
  readonly method: string;
  /** `/api/articles/:id` */
  readonly path: string;
  readonly row: Row;
}

/** A row with its description. */
export interface DescribedRow extends RowAt {
  readonly describe: Describe;
}

/** Paths of one shape differ only in the names of their parameters. */
export const shapeOf = (path: string): string => path.replaceAll(/:\w+/g, ':');

export const json = (schema: Schema): Content => ({ 'application/json': schema });

/** 200 with JSON. */
export const answers = (schema: Schema, description = 'The answer'): Operation['answers'] => ({
  200: { description, content: json(schema) },
});

/** The answers of an HTML page. */
const html: Content = { 'text/html': text };

/** A redirect of a browser. */
export const redirects = (description: string): Operation['answers'] => ({ 302: { description, content: html } });

/** A parameter with one value. */
export const parameter = (name: string, description: string, schema: Schema = text): QueryParameter => ({
  name,
  description,
  schema,
});
