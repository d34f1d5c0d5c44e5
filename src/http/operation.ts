import { mapValues } from '#base/values.js';
import { text, type Schema } from './json-schema.js';

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

/** Descriptions of errors by status. The document has a response of each name. */
export type Errors = Readonly<Record<string, { readonly name: string; readonly description: string }>>;

/** Returns the answers of an operation that may fail with these errors. */
export const errorAnswers = (errors: Errors): Readonly<Record<string, object>> =>
  mapValues(errors, ({ name }) => ({ $ref: `#/components/responses/${name}` }));

/** What a step of requests adds to the description of an operation. */
export interface AddedDescription {
  readonly parameters?: readonly object[];
  /** Headers of successful answers. */
  readonly headers?: Readonly<Record<string, object>>;
  /** Further answers by status. */
  readonly responses?: Readonly<Record<string, object>>;
}

/** The schemas of content types in one OpenAPI document, for one reader. */
export interface TypeSchemas {
  /** Returns a reference to a schema that belongs to no content type. `build` is called on first use. */
  named(name: string, build: () => Schema): Schema;
  /** Returns the schema of entries in answers, without envelope, or of the body of a write. An unknown type allows anything. */
  ofType(uid: string, use: 'answer' | 'create' | 'update'): Schema;
  /** Returns the query parameters of requests for entries. `list` means routes whose pagination has no brackets. */
  parameters(uid: string, of: 'entry' | 'list' | 'count'): readonly QueryParameter[];
}

/** A description that contains schemas of content types. */
export type Describe = (schemas: TypeSchemas) => Operation;

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
