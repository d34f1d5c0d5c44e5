import { readable } from '../query/access.js';
import type { ContentType } from '../schema/content-type.js';
import type { Components } from './components.js';
import { filtersSchema } from './input-schemas.js';
import { parameter, type QueryParameter } from './operation.js';
import { shownAttributes } from './shown-attributes.js';
import { flag, listOf, oneOf, text, whole, type Schema } from './schema.js';

const anyObject: Schema = { type: 'object', additionalProperties: true };

/** `a,b`. */
const commaList = { style: 'form', explode: false } as const;

/** `name[key]=value`, deeper objects as `name[a][b]=value`. */
const brackets = { style: 'deepObject', explode: true } as const;

/** The parameters that select the attributes of an entry and its language. */
export const entryParameters = (type: ContentType, components: Components): QueryParameter[] => [
  {
    name: 'fields',
    description: 'Attributes to answer; all unless given',
    schema: listOf({ type: 'string', enum: scalarNames(type, components) }),
    ...commaList,
  },
  ...populateParameter(type, components),
  ...(type.localized ? [parameter('locale', 'A locale code; the default locale unless given, `all` for every locale')] : []),
];

function populateParameter(type: ContentType, components: Components): QueryParameter[] {
  const names = shownAttributes(type, components).flatMap(([name, { kind }]) => (kind === 'scalar' ? [] : [name]));
  if (names.length === 0) return [];
  const list = listOf({ type: 'string', examples: ['*', ...names] });
  const description =
    'Relations, media, components and dynamic zones to answer: `*`, names, or dotted paths. As an object with nested `fields`, ' +
    '`filters`, `sort`, `populate`: `populate[name][fields]=title`';
  return [{ name: 'populate', description, schema: oneOf([list, text, anyObject]), ...commaList }];
}

/** The parameters of a list of entries. */
export const listParameters = (type: ContentType, components: Components): QueryParameter[] => [
  ...entryParameters(type, components),
  { name: 'filters', description: 'Conditions on entries', schema: filtersSchema(type, components), example: {}, ...brackets },
  {
    name: 'sort',
    description: 'Attributes, each with `:asc` or `:desc`',
    schema: listOf({ type: 'string', examples: scalarNames(type, components).map((name) => `${name}:asc`) }),
    ...commaList,
  },
  {
    name: 'pagination',
    description: 'Pages, or a start and a limit',
    schema: paging(components),
    example: { page: 1, pageSize: 10 },
    ...brackets,
  },
  parameter('_q', 'A text that entries must contain'),
  ...stateParameter(type),
];

export const stateParameter = ({ draftAndPublish }: ContentType): QueryParameter[] =>
  draftAndPublish
    ? [parameter('publicationState', '`preview` answers drafts as well', { type: 'string', enum: ['live', 'preview'] })]
    : [];

const paging = (components: Components): Schema =>
  components.named('Paging', () => ({
    type: 'object',
    properties: { page: whole, pageSize: whole, start: whole, limit: whole, withCount: flag },
  }));

/** The parameters of a list without envelope: files and users. */
export const flatListParameters = (type: ContentType, components: Components): QueryParameter[] => [
  ...listParameters(type, components).filter(({ name }) => name !== 'pagination'),
  parameter('start', 'Entries to leave out', whole),
  parameter('limit', 'Most entries to answer', whole),
];

const scalarNames = (type: ContentType, { access }: Components): string[] => [
  'id',
  ...[...type.attributes.values()]
    .filter(({ kind, name }) => kind === 'scalar' && readable(type, name, access) !== null)
    .map(({ name }) => name),
];
