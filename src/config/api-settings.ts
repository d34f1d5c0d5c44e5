import { flag, group, maybeFlag, maybeWhole, shaped, text, texts, whole } from './setting.js';

/** Scalar types that a custom field may be stored as: those of Strapi v4, which are all but timestamp and blocks. */
const customFieldTypes = [
  ...['biginteger', 'boolean', 'date', 'datetime', 'decimal', 'email', 'enumeration', 'float'],
  ...['integer', 'json', 'password', 'richtext', 'string', 'text', 'time', 'uid'],
];

/** config/api: the REST content API, and the limits of one request that both front ends share. */
export const apiSettings = group({
  rest: group({
    prefix: text('/api', 'Path in front of every route of the content API', { pattern: '^(/[A-Za-z0-9._~-]+)*$' }),
    defaultLimit: whole(25, 'Page size where none is asked for', { minimum: 1 }),
    maxLimit: maybeWhole('Largest page size; a request for more gets this many; null: 1000', { minimum: 1 }),
    maxNested: whole(1_000, 'Largest `limit` of a populated list; a request for more gets this many', { minimum: 1 }),
    withCount: flag(true, 'Count the total where the request does not say'),
    populateDeep: whole(0, 'Levels that populate=deep populates, as the plugin populate-deep does; 0: it is ignored', {
      maximum: 18,
    }),
    strict: flag(false, 'Refuse unknown names in populate instead of ignoring them', { variable: 'MANGROVE_STRICT' }),
  }),
  responses: group({
    privateAttributes: texts([], 'Attributes of any content type that no answer shows'),
  }),
  customFields: shaped<Readonly<Record<string, string>>>(
    { type: 'object', additionalProperties: { enum: customFieldTypes } },
    {},
    "Types that custom fields of plugins are stored as, by name: { 'plugin::rating.stars': 'integer' }; known ones need no entry",
  ),
  limits: group({
    urlLength: whole(65_536, 'Characters of a URL', { minimum: 1 }),
    parameters: whole(1_200, 'Parameters of a query string', { minimum: 1 }),
    queryDepth: whole(20, 'Levels of brackets in a query string', { minimum: 1 }),
    filterNodes: whole(200, 'Conditions and groups of a filter', { minimum: 1 }),
    listValues: whole(1_000, 'Values of one list in a filter', { minimum: 1 }),
    textLength: whole(8_000, 'Characters of a text that a filter compares with', { minimum: 1 }),
    populateDepth: whole(10, 'Levels of populate', { minimum: 1, maximum: 18 }),
    populateRelations: whole(100, 'Relations populated in all', { minimum: 1 }),
    sortKeys: whole(10, 'Keys of a sort', { minimum: 1, maximum: 32 }),
    sortKeyLinks: whole(4, 'Relations that one sort key leads through'),
    sortLinks: whole(10, 'Relations that all sort keys of a request lead through'),
    boundSelections: whole(2_000, 'Types that are populated, counted for each level', { minimum: 1 }),
    relatedConditions: whole(20, 'Conditions on related entries'),
    tokenRelatedConditions: whole(100, 'The same for callers with a token'),
    idsResolved: whole(250_000, 'Related entries that meet such conditions', { minimum: 1, maximum: 1_000_000 }),
    entriesRead: whole(20_000, 'Entries that are read, populated ones included', { minimum: 1 }),
    entriesRendered: whole(50_000, 'Entries and components in the answer, each as often as it appears', { minimum: 1 }),
    answerBytes: whole(16_777_216, 'Bytes of the answer before compression, as estimated', { minimum: 1 }),
  }),
  ratelimit: group({
    enabled: flag(false, 'Limit the requests of each user, token or address'),
    interval: whole(60_000, 'Milliseconds over which requests are counted', { minimum: 1000 }),
    identity: whole(1_200, 'Requests of a user or token in one interval', { minimum: 1 }),
    address: whole(600, 'Requests without credentials from an address in one interval', { minimum: 1 }),
  }),
  openapi: flag(true, 'Serve the OpenAPI document at openapi.json below the prefix; it lists what its reader may do'),
  docs: maybeFlag('Serve the documentation page at /docs; null: outside of production'),
  startPage: maybeFlag('Serve the start page at /, in production a bare name; null: outside of production'),
  open: maybeFlag(
    'Everything but to change roles is allowed to everybody; null: only to programs of this machine, outside of production, on the ' +
      'embedded database, until there is a user or a grant',
    { variable: 'MANGROVE_OPEN' },
  ),
});
