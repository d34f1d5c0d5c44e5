import type { coreActions } from '#content/rights/known-actions.js';
import { isUnique } from '#content/find-one.js';
import { readable } from '#model/query/access.js';
import type { ContentType } from '#model/schema/content-type.js';
import { pascalCase, typeName } from '#model/schema/names.js';
import type { Components } from './components.js';
import { answeredSchema, flatSchema } from './entry-schemas.js';
import { createSchema, inputSchema } from './input-schemas.js';
import { answers, json, type Content, type Operation, type QueryParameter } from '#http/operation.js';
import { listParameters, queryParameters, statusParameter } from './query-parameters.js';
import { flag, listOf, oneOf, orNull, record, text, integer, type Schema } from '#http/json-schema.js';

type ContentAction = (typeof coreActions)[number] | 'count' | 'findBy';

/** Describes a row. Shared schemas are taken from the components of the document. */
export type DescribeRow = (components: Components) => Operation;

type DescribeAction = (type: ContentType, components: Components) => Operation;

const envelope = (data: Schema, meta: Schema = { type: 'object' }): Schema => record({ data, meta });

const meta = (components: Components): Schema => {
  const figures = {
    page: integer,
    pageSize: integer,
    pageCount: integer,
    start: integer,
    limit: integer,
    total: integer,
  };
  const cursors = { cursors: record({ start: orNull(text), end: orNull(text) }), hasNext: flag, hasPrevious: flag };
  const values = { type: 'object', additionalProperties: listOf({ type: 'object' }) };
  const pagination = components.named('Pagination', () => record({ ...figures, ...cursors }, []));
  return record({ pagination, facets: values, facetsTruncated: listOf(text), searchTruncated: flag }, ['pagination']);
};

const statusOfRead = (type: ContentType) =>
  statusParameter(type, '`draft` answers the draft beside a published entry, as `publicationState=preview` does');

const statusOfCreate = (type: ContentType) => statusParameter(type, '`draft` creates a draft');

const statusOfUpdate = (type: ContentType) =>
  statusParameter(type, '`draft` changes the draft beside a published entry, `published` the entry even if there is a draft');

/** Returns a noun phrase for summaries: `an article`. */
const one = ({ displayName }: ContentType): string => `${/^[aeiou]/i.test(displayName) ? 'an' : 'a'} ${displayName}`;

/** Returns the body of a write: JSON, or a multipart form with files and the values as JSON in the part `data`. */
const bodyOf = (body: Schema): Content => ({
  ...json(body),
  'multipart/form-data': {
    type: 'object',
    required: ['data'],
    properties: { data: { type: 'string', description: 'The values as JSON; files are named `files.<attribute>`' } },
    additionalProperties: { type: 'string', format: 'binary' },
  },
});

const findMany: DescribeAction = (type, components) => ({
  id: `find${pascalCase(type.pluralName)}`,
  summary: `List entries of ${type.displayName}`,
  tag: type.displayName,
  query: [...listParameters(type, components), ...statusOfRead(type)],
  answers: answers(envelope(listOf(answeredSchema(type, components)), meta(components)), 'A page of entries'),
});

/** Describes the read of a single type. With `locale=all` it returns a list. */
const findSingle: DescribeAction = (type, components) => {
  const entry = answeredSchema(type, components);
  return {
    id: `find${typeName(type)}`,
    summary: `Read ${type.displayName}`,
    tag: type.displayName,
    query: [...queryParameters('lookUp', type, components), ...statusOfRead(type)],
    answers: answers(envelope(type.localized ? oneOf([entry, listOf(entry)]) : entry), 'The entry'),
  };
};

const entryAnswer = (
  type: ContentType,
  components: Components,
  further: readonly QueryParameter[] = [],
): Pick<Operation, 'tag' | 'query' | 'answers'> => ({
  tag: type.displayName,
  query: [...queryParameters('entry', type, components), ...further],
  answers: answers(envelope(answeredSchema(type, components)), 'The entry'),
});

const uniqueNames = (type: ContentType, { access }: Components): string[] =>
  [...type.attributes.keys()].filter((name) => isUnique(readable(type, name, access)));

const actions: Readonly<Record<ContentAction, DescribeAction>> = {
  find: (type, components) => (type.kind === 'singleType' ? findSingle : findMany)(type, components),
  findOne: (type, components) => ({
    id: `findOne${typeName(type)}`,
    summary: `Read ${one(type)}`,
    ...entryAnswer(type, components),
    query: [...queryParameters('entry', type, components), ...queryParameters('one', type, components), ...statusOfRead(type)],
  }),
  count: (type, components) => ({
    id: `count${pascalCase(type.pluralName)}`,
    summary: `Count entries of ${type.displayName}`,
    tag: type.displayName,
    query: queryParameters('count', type, components),
    answers: answers(envelope(record({ count: integer })), 'The number of entries'),
  }),
  findBy: (type, components) => ({
    id: `findBy${typeName(type)}`,
    summary: `Read ${one(type)} by a unique value`,
    description: `By one of: ${uniqueNames(type, components).join(', ')}`,
    ...entryAnswer(type, components),
    query: queryParameters('lookUp', type, components),
  }),
  create: (type, components) => ({
    id: `create${typeName(type)}`,
    summary: `Create ${one(type)}`,
    body: bodyOf(record({ data: createSchema(type, components) })),
    ...entryAnswer(type, components, statusOfCreate(type)),
  }),
  update: (type, components) => ({
    id: `update${typeName(type)}`,
    summary: type.kind === 'singleType' ? `Write ${type.displayName}` : `Change ${one(type)}`,
    body: bodyOf(record({ data: inputSchema(type, components) })),
    ...entryAnswer(type, components, statusOfUpdate(type)),
  }),
  delete: (type, components) => ({
    id: `delete${typeName(type)}`,
    summary: type.kind === 'singleType' ? `Delete ${type.displayName}` : `Delete ${one(type)}`,
    ...entryAnswer(type, components),
  }),
  createLocalization: (type, components) => ({
    id: `create${typeName(type)}Localization`,
    summary: `Create ${one(type)} in another locale`,
    tag: type.displayName,
    body: bodyOf({
      allOf: [inputSchema(type, components), { type: 'object', required: ['locale'], properties: { locale: text } }],
    }),
    answers: answers(flatSchema(type, components), 'The new entry'),
  }),
};

/**
 * Returns the description of an action on a content type by its full name or its last part (`find`); null if it is not an action
 * on content.
 */
export function describerOf(action: string, type: ContentType): DescribeRow | null {
  const name = action.slice(action.lastIndexOf('.') + 1);
  return isContentAction(name) ? (components) => actions[name](type, components) : null;
}

const isContentAction = (name: string): name is ContentAction => Object.hasOwn(actions, name);
