import { cacheControlPattern } from '#base/values.js';
import { flag, group, maybeFlag, optionalInteger, shaped, text, texts, amount, integerSetting } from './setting.js';

/** Scalar types that a custom field may be stored as. As in Strapi v4 these are all but timestamp and blocks. */
export const customFieldTypes: readonly string[] = [
  ...['biginteger', 'boolean', 'date', 'datetime', 'decimal', 'email', 'enumeration', 'float'],
  ...['integer', 'json', 'password', 'richtext', 'string', 'text', 'time', 'uid'],
];

/** The settings of config/api: the REST API, and limits of one request that REST and GraphQL share. */
export const apiSettings = group({
  rest: group({
    prefix: text('/api', 'Path prefix of every route of the content API', {
      pattern: '^(/[A-Za-z0-9._~-]+)*$',
      description: 'a path such as /api, or empty',
    }),
    defaultLimit: amount(25, 'Page size if the request names none'),
    maxLimit: optionalInteger('Largest page size; larger requests get this many entries; null: 1000', { minimum: 1 }),
    maxNested: amount(1_000, 'Largest `limit` of a populated list; larger requests get this many entries'),
    withCount: flag(true, 'Return the total if the request does not set withCount'),
    populateDeep: integerSetting(
      0,
      'Levels that populate=deep populates, as with the plugin populate-deep; 0: populate=deep is ignored',
      {
        maximum: 18,
      },
    ),
    flatten: flag(
      false,
      'Return entries without `attributes` and `data` in them, as with the plugin transformer; `?format=flat` and `?format=nested` choose for a request',
    ),
    batchPastMiddlewares: flag(
      false,
      'Answer POST /batch in a project with middlewares of its own for all requests; they see the batch, but not the writes in it',
    ),
    cacheControl: text(
      'no-cache',
      'Cache-Control of entries, lists and files to callers without credentials; models may have their own',
      {
        pattern: cacheControlPattern,
        description: 'directives such as public, max-age=60',
      },
    ),
    keepAnswers: group({
      bytes: integerSetting(67_108_864, 'Bytes of memory for answers to reads, also over GraphQL; 0: none are kept'),
      across: flag(
        false,
        'Keep answers while other instances run too; what these write is then seen at most a second later. Otherwise only one instance keeps them',
      ),
    }),
    cacheTags: flag(
      false,
      'Name the types and entries of answers to GET without credentials in the header Cache-Tag, by which a CDN removes them',
    ),
    strict: flag(
      false,
      'Refuse what a request asks for and does not get, such as unknown names in populate and in bodies, instead of ignoring it',
      { variable: 'MANGROVE_STRICT' },
    ),
  }),
  responses: group({
    privateAttributes: texts([], 'Names of attributes that are omitted from answers, in all content types'),
  }),
  customFields: shaped<Readonly<Record<string, string>>>(
    { type: 'object', additionalProperties: { enum: customFieldTypes } },
    {},
    "Storage types of custom fields by name, such as { 'plugin::rating.stars': 'integer' }; known custom fields need no entry",
  ),
  limits: group({
    urlLength: amount(65_536, 'Characters of a URL'),
    parameters: amount(1_200, 'Parameters of a query string'),
    queryDepth: amount(20, 'Levels of brackets in a query string'),
    filterNodes: amount(200, 'Conditions of a filter; groups and names of relations do not count, each corner of a polygon does'),
    listValues: amount(1_000, 'Values of one list in a filter'),
    textLength: amount(8_000, 'Characters of a string that a filter compares with'),
    populateDepth: integerSetting(10, 'Levels of populate', { minimum: 1, maximum: 18 }),
    populateRelations: amount(100, 'Total number of populated relations'),
    sortKeys: integerSetting(10, 'Keys of a sort', { minimum: 1, maximum: 32 }),
    sortKeyLinks: integerSetting(4, 'Relations in one sort key'),
    sortLinks: integerSetting(10, 'Relations in all sort keys of a request'),
    boundSelections: amount(2_000, 'Populated types, counted on each level'),
    relatedConditions: integerSetting(20, 'Conditions on related entries'),
    tokenRelatedConditions: integerSetting(100, 'The same for callers with a token, and administrators'),
    idsResolved: integerSetting(
      250_000,
      'Ids of related entries that are read for these conditions; lists are joined beyond it',
      {
        minimum: 1,
        maximum: 1_000_000,
      },
    ),
    entriesRead: amount(20_000, 'Entries that are read, including populated entries'),
    entriesRendered: amount(50_000, 'Entries and components in the answer, each counted as often as it appears'),
    answerBytes: amount(16_777_216, 'Estimated bytes of the answer before compression, and of the data that is read for it'),
    batch: amount(100, 'Writes of one POST /batch or POST /sync/push'),
  }),
  ratelimit: group({
    enabled: flag(false, 'Limit the requests of each user, token or address'),
    interval: integerSetting(60_000, 'Milliseconds over which requests are counted', { minimum: 1000 }),
    identity: amount(1_200, 'Requests of a user or token in one interval'),
    address: amount(600, 'Requests without credentials from one address in one interval'),
  }),
  idempotency: group({
    ttl: amount(86_400, 'Seconds for which the answer to a write with an Idempotency-Key is kept'),
    wait: integerSetting(10_000, 'Milliseconds that a repeated write waits for the first one, before 409'),
    keys: amount(100_000, 'Stored keys of one user, token or address; beyond: 429 (counted with a tolerance of 1 %)'),
    bytes: amount(268_435_456, 'Bytes of the stored answers of one user, token or address; beyond: 429'),
    answerBytes: integerSetting(4_194_304, 'Bytes of one stored answer; beyond: 413, and nothing is written', {
      minimum: 1,
      maximum: 15_000_000,
    }),
  }),
  openapi: flag(true, 'Serve the OpenAPI document at openapi.json below the prefix; it lists what the caller may do'),
  docs: maybeFlag('Serve the documentation page at /docs; null: outside of production'),
  startPage: maybeFlag('Serve the start page at /; in production it shows only the name; null: outside of production'),
  open: maybeFlag(
    'Allow everybody everything except changing roles; null: only for programs on this machine, outside of production, on the ' +
      'embedded database, until there is a user or a grant',
    { variable: 'MANGROVE_OPEN' },
  ),
});
