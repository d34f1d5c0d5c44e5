import { readable } from '#model/query/access.js';
import { keepsDrafts } from '#model/schema/drafts-beside.js';
import { parametersOf } from '#model/query/parse-query.js';
import type { ContentType, ScalarAttribute } from '#model/schema/content-type.js';
import type { Components } from './components.js';
import { flatSchema } from './entry-schemas.js';
import { createSchema, filtersSchema, inputSchema } from './input-schemas.js';
import { parameter, type QueryParameter, type TypeSchemas } from '#http/operation.js';
import { shownAttributes } from './shown-attributes.js';
import { anything, flag, listOf, oneOf, text, integer, type Schema } from '#http/json-schema.js';

const anyObject: Schema = { type: 'object', additionalProperties: true };

/** The style of lists: `a,b`. */
const commaList = { style: 'form', explode: false } as const;

/** The style of objects: `name[key]=value`, nested ones `name[a][b]=value`. */
const brackets = { style: 'deepObject', explode: true } as const;

type Describe = (type: ContentType, components: Components) => QueryParameter[];

/** The descriptions of the parameters of lists; none for a type that has no use for one. */
const descriptions: Readonly<Record<ReturnType<typeof parametersOf>[number], Describe>> = {
  fields: (type, components) => [
    {
      name: 'fields',
      description: 'Attributes to return; all by default',
      schema: listOf({ type: 'string', enum: scalarNames(type, components) }),
      ...commaList,
    },
  ],
  populate: populateParameter,
  locale: ({ localized }) =>
    localized ? [parameter('locale', 'A locale code; the default locale unless given, `all` for every locale')] : [],
  fallbackLocale: ({ localized }) =>
    localized
      ? [
          parameter(
            'fallbackLocale',
            'Codes of locales, by commas: the first that an entry has takes the place of a missing `locale`',
          ),
        ]
      : [],
  filters: (type, components) => [
    { name: 'filters', description: 'Conditions on entries', schema: filtersSchema(type, components), example: {}, ...brackets },
  ],
  sort: (type, components) => [
    {
      name: 'sort',
      description: `Attributes, each with \`:asc\` or \`:desc\`${collations(type, components)}`,
      schema: listOf({ type: 'string', examples: scalarNames(type, components).map((name) => `${name}:asc`) }),
      ...commaList,
    },
  ],
  pagination: (_type, components) => [
    {
      name: 'pagination',
      description:
        'Pages, a start and a limit, or pages by cursors: `cursors` asks for those of the first page, `after` and `before` read on from ' +
        'one, with `limit` or `pageSize`',
      schema: paging(components),
      example: { page: 1, pageSize: 10 },
      ...brackets,
    },
  ],
  _q: () => [parameter('_q', 'A text that entries must contain')],
  publicationState: ({ draftAndPublish }) =>
    draftAndPublish
      ? [parameter('publicationState', '`preview` answers drafts as well', { type: 'string', enum: ['live', 'preview'] })]
      : [],
  facets: () => [
    {
      name: 'facets',
      description: 'Attributes by whose values the whole list is counted: `facets[0]=kind&facets[price][ranges]=0,10`',
      schema: anyObject,
      example: {},
      ...brackets,
    },
  ],
};

/** Returns the parameters of lists. */
export const listParameters: Describe = (type, components) =>
  Object.values(descriptions).flatMap((describe) => describe(type, components));

/** Returns the parameter `status` of types whose published entries may have a draft beside them; none for others. */
export const statusParameter = (type: ContentType, description: string): QueryParameter[] =>
  keepsDrafts(type) ? [parameter('status', description, { type: 'string', enum: ['draft', 'published'] })] : [];

/** Returns those that a request takes which is not for a list. */
export const queryParameters = (
  taker: Parameters<typeof parametersOf>[0],
  type: ContentType,
  components: Components,
): QueryParameter[] => {
  const names: readonly string[] = parametersOf(taker);
  return Object.entries(descriptions).flatMap(([name, describe]) => (names.includes(name) ? describe(type, components) : []));
};

function populateParameter(type: ContentType, components: Components): QueryParameter[] {
  const names = shownAttributes(type, components).flatMap(([name, { kind }]) => (kind === 'scalar' ? [] : [name]));
  if (names.length === 0) return [];
  const list = listOf({ type: 'string', examples: ['*', ...names] });
  const description =
    'Relations, media, components and dynamic zones to answer: `*`, names, or dotted paths. As an object with nested `fields`, ' +
    '`filters`, `sort`, `populate`: `populate[name][fields]=title`';
  return [{ name: 'populate', description, schema: oneOf([list, text, anyObject]), ...commaList }];
}

const paging = (components: Components): Schema =>
  components.named('Paging', () => ({
    type: 'object',
    properties: {
      ...{ page: integer, pageSize: integer, start: integer, limit: integer, withCount: flag },
      ...{ cursors: flag, after: text, before: text },
    },
  }));

/** Returns the parameters of a list of files or users, which has no envelope. */
const flatListParameters = (type: ContentType, components: Components): QueryParameter[] => [
  ...listParameters(type, components).filter(({ name }) => name !== 'pagination' && name !== 'facets'),
  parameter('start', 'Number of entries to skip', integer),
  parameter('limit', 'Maximum number of entries', integer),
];

const scalarNames = (type: ContentType, components: Components): string[] => [
  'id',
  ...scalarsOf(type, components).map(({ name }) => name),
];

const scalarsOf = (type: ContentType, { access }: Components): ScalarAttribute[] =>
  [...type.attributes.values()].flatMap((attribute) =>
    attribute.kind === 'scalar' && readable(type, attribute.name, access) !== null ? [attribute] : [],
  );

/** Returns a sentence that names the attributes which are sorted by a collation; none without one. */
function collations(type: ContentType, components: Components): string {
  const names = scalarsOf(type, components).flatMap(({ name, collation }) =>
    collation === undefined ? [] : [`\`${name}\` (${collation})`],
  );
  return names.length === 0 ? '' : `. Sorted in the order of a language, by a collation: ${names.join(', ')}`;
}

const uses = { answer: flatSchema, create: createSchema, update: inputSchema };

/** Returns the schemas that descriptions of routes refer to. */
export function typeSchemas(components: Components): TypeSchemas {
  const { types } = components.registry;
  return {
    named: (name, build) => components.named(name, build),
    ofType: (uid, use) => {
      const type = types.get(uid);
      return type === undefined ? anything : uses[use](type, components);
    },
    parameters: (uid, of) => {
      const type = types.get(uid);
      if (type === undefined) return [];
      return of === 'list' ? flatListParameters(type, components) : queryParameters(of, type, components);
    },
  };
}
