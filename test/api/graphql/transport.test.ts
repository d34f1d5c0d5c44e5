import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { documents, models } from './content.js';
import { serveGraphql, type ServedGraphql } from './serve-graphql.js';

interface Case {
  readonly title: string;
  readonly body?: unknown;
  readonly init?: RequestInit;
  readonly path?: string;
  readonly status: number;
  /** The exact JSON, or the exact text. */
  readonly json?: unknown;
  readonly text?: string;
}

const error = (message: string, code: string, at?: readonly [number, number]) => ({
  message,
  ...(at && { locations: [{ line: at[0], column: at[1] }] }),
  extensions: { code },
});
const errors = (...list: readonly object[]) => ({ errors: list });
const invalid = 'GRAPHQL_VALIDATION_FAILED';
const input = 'BAD_USER_INPUT';
const tag = { data: { tag: { data: { id: '1' } } } };
const noQuery = error(
  'GraphQL operations must contain a non-empty `query` or a `persistedQuery` extension.',
  'INTERNAL_SERVER_ERROR',
);
const noBody = 'POST body missing, invalid Content-Type, or JSON object has no keys.';
const oneTag = '{ tag(id: 1) { data { id } } }';
const get = (parameters: Readonly<Record<string, string>>) => ({
  init: { method: 'GET' },
  path: `/graphql?${new URLSearchParams(parameters).toString()}`,
});
const post = (type: string, body: string) => ({ init: { method: 'POST', headers: { 'content-type': type }, body } });
const hash = createHash('sha256').update(oneTag).digest('hex');
const persisted = { persistedQuery: { version: 1, sha256Hash: hash } };

const cases: readonly Case[] = [
  { title: 'a query', body: { query: oneTag }, status: 200, json: tag },
  { title: 'the path with a slash', body: { query: oneTag }, path: '/graphql/', status: 200, json: tag },
  { title: 'an empty query', body: { query: '' }, status: 400, json: errors(noQuery) },
  { title: 'no query', body: { variables: {} }, status: 400, json: errors(noQuery) },
  {
    title: 'a syntax error',
    body: { query: '{ tag(' },
    status: 400,
    json: errors(error('Syntax Error: Expected Name, found <EOF>.', 'GRAPHQL_PARSE_FAILED', [1, 7])),
  },
  {
    title: 'an unknown field',
    body: { query: '{ unicorns { id } }' },
    status: 400,
    json: errors(error('Cannot query field "unicorns" on type "Query".', invalid, [1, 3])),
  },
  {
    title: 'an unknown type',
    body: { query: 'query ($state: PublicationStat) { tags { __typename } }' },
    status: 400,
    json: errors(
      error('Unknown type "PublicationStat". Did you mean "PublicationState"?', invalid, [1, 16]),
      error('Variable "$state" is never used.', invalid, [1, 8]),
    ),
  },
  {
    title: 'a missing selection',
    body: { query: '{ articles }' },
    status: 400,
    json: errors(
      error(
        'Field "articles" of type "ArticleEntityResponseCollection" must have a selection of subfields. Did you mean "articles { ... }"?',
        invalid,
        [1, 3],
      ),
    ),
  },
  {
    title: 'an unknown fragment',
    body: { query: '{ tags { ...Nope } }' },
    status: 400,
    json: errors(error('Unknown fragment "Nope".', invalid, [1, 13])),
  },
  {
    title: 'fragments that go in circles',
    body: { query: '{ tags { ...F } } fragment F on TagEntityResponseCollection { ...F }' },
    status: 400,
    json: errors(error('Cannot spread fragment "F" within itself.', invalid, [1, 63])),
  },
  {
    title: 'a variable that is missing',
    body: { query: 'query Q($id: ID!) { tag(id: $id) { data { id } } }' },
    status: 400,
    json: errors(error('Variable "$id" of required type "ID!" was not provided.', input, [1, 9])),
  },
  {
    title: 'a variable of the wrong type',
    body: { query: 'query Q($f: ArticleFiltersInput) { articles(filters: $f) { data { id } } }', variables: { f: { bogus: 1 } } },
    status: 400,
    json: errors(
      error(
        'Variable "$f" got invalid value { bogus: 1 }; Field "bogus" is not defined by type "ArticleFiltersInput". Did you mean "big", "body", or "tags"?',
        input,
        [1, 9],
      ),
    ),
  },
  {
    title: 'several operations and no name',
    body: { query: 'query A { tag(id: 1) { data { id } } } query B { tag(id: 2) { data { id } } }' },
    status: 400,
    json: errors(error('Must provide operation name if query contains multiple operations.', 'INTERNAL_SERVER_ERROR')),
  },
  {
    title: 'several operations and an unknown name',
    body: { query: `query A ${oneTag} query B ${oneTag}`, operationName: 'C' },
    status: 400,
    json: errors(error('Unknown operation named "C".', 'INTERNAL_SERVER_ERROR')),
  },
  {
    title: 'several operations and a name',
    body: { query: `query A ${oneTag} query B { __typename }`, operationName: 'A' },
    status: 200,
    json: tag,
  },
  {
    title: 'a subscription',
    body: { query: 'subscription { x }' },
    status: 400,
    json: errors(error('Schema is not configured for subscriptions.', 'INTERNAL_SERVER_ERROR', [1, 1])),
  },
  {
    title: 'a query that is too deep',
    body: {
      query:
        '{ author(id: 2) { data { attributes { articles { data { attributes { author { data { attributes { articles { data { attributes { author { data { id } } } } } } } } } } } } } } }',
    },
    status: 400,
    json: errors(error("'' exceeds maximum operation depth of 12", invalid, [1, 139])),
  },
  ...[
    `{ articles(filters: ${'{ and: ['.repeat(120)}${'] }'.repeat(120)}) { data { id } } }`,
    `${'{ a '.repeat(3_000)}${'}'.repeat(3_000)}`,
  ].map((query) => ({
    title: `a document of very many levels: ${query.slice(0, 10)}`,
    body: { query },
    status: 400,
    json: errors(error('Syntax Error: Document is nested deeper than 200 levels.', 'GRAPHQL_PARSE_FAILED')),
  })),
  {
    title: 'variables of very many levels as JSON text',
    body: {
      query: 'query Q($f: ArticleFiltersInput) { articles(filters: $f) { data { id } } }',
      variables: `{"f":${'{"and":['.repeat(5_000)}${']}'.repeat(5_000)}}`,
    },
    status: 400,
    text: 'Variables are invalid JSON.',
  },
  { title: 'an empty body', body: {}, status: 400, text: noBody },
  {
    title: 'a body that is not JSON',
    ...post('application/json', '{'),
    status: 400,
    json: {
      data: null,
      error: { status: 400, name: 'SyntaxError', message: "Expected property name or '}' in JSON at position 1" },
    },
  },
  { title: 'a body as application/graphql', ...post('application/graphql', oneTag), status: 400, text: noBody },
  { title: 'a body as text', ...post('text/plain', JSON.stringify({ query: oneTag })), status: 400, text: noBody },
  {
    title: 'a form',
    ...post('application/x-www-form-urlencoded', new URLSearchParams({ query: oneTag }).toString()),
    status: 400,
    text: noBody,
  },
  {
    title: 'a form that speaks of JSON',
    ...post('application/x-www-form-urlencoded; charset=json', new URLSearchParams({ query: oneTag }).toString()),
    status: 400,
    text: noBody,
  },
  { title: 'a query that is no text', body: { query: 5 }, status: 400, text: 'GraphQL queries must be strings.' },
  {
    title: 'variables that are no JSON',
    body: { query: oneTag, variables: 'x' },
    status: 400,
    text: 'Variables are invalid JSON.',
  },
  ...[1, false, true, '1'].map((variables) => ({
    title: `variables that are no object: ${JSON.stringify(variables)}`,
    body: { query: oneTag, variables },
    status: 400,
    json: errors(
      error(
        'Variables must be provided as an Object where each property is a variable value. Perhaps look to see if an unparsed JSON string was provided.',
        'INTERNAL_SERVER_ERROR',
      ),
    ),
  })),
  ...[{ variables: [] }, { variables: 'null' }, { extensions: [] }, { extensions: 1 }].map((parameters) => ({
    title: `nothing that the operation uses: ${JSON.stringify(parameters)}`,
    body: { query: oneTag, ...parameters },
    status: 200,
    json: tag,
  })),
  {
    title: 'a name that is no text',
    body: { query: oneTag, operationName: 1 },
    status: 400,
    json: errors(error('Unknown operation named "1".', 'INTERNAL_SERVER_ERROR')),
  },
  { title: 'a list of no operations', body: [], status: 400, text: noBody },
  {
    title: 'variables as JSON text',
    body: { query: 'query Q($id: ID!) { tag(id: $id) { data { id } } }', variables: '{"id":1}' },
    status: 200,
    json: tag,
  },
  { title: 'GET', ...get({ query: oneTag }), status: 200, json: tag },
  {
    title: 'GET with variables and a name',
    ...get({ query: 'query Q($id: ID!) { tag(id: $id) { data { id } } }', variables: '{"id":1}', operationName: 'Q' }),
    status: 200,
    json: tag,
  },
  { title: 'GET without a query', init: { method: 'GET' }, status: 400, text: 'GET query missing.' },
  {
    title: 'GET of a mutation',
    ...get({ query: 'mutation { deleteTag(id: 1) { data { id } } }' }),
    status: 405,
    json: errors(error('GET supports only query operation', 'INTERNAL_SERVER_ERROR')),
  },
  { title: 'PUT', init: { method: 'PUT' }, status: 405, text: 'Apollo Server supports only GET/POST requests.' },
  { title: 'DELETE', init: { method: 'DELETE' }, status: 405, text: 'Apollo Server supports only GET/POST requests.' },
  { title: 'OPTIONS', init: { method: 'OPTIONS' }, status: 204, text: '' },
  {
    title: 'Accept: application/graphql-response+json',
    init: {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json' },
      body: JSON.stringify({ query: oneTag }),
    },
    status: 200,
    json: tag,
  },
  {
    title: 'a batch',
    body: [{ query: oneTag }, { query: '{ x }' }, 5],
    status: 200,
    json: [tag, errors(error('Cannot query field "x" on type "Query".', invalid, [1, 3])), errors(noQuery)],
  },
  {
    title: 'a batch that is too long',
    body: Array.from({ length: 11 }, () => ({ query: oneTag })),
    status: 400,
    json: errors(error('More than 10 operations in one request.', 'INTERNAL_SERVER_ERROR')),
  },
  {
    title: 'a hash that nobody has sent with its text',
    body: { extensions: { persistedQuery: { version: 1, sha256Hash: 'f'.repeat(64) } } },
    status: 200,
    json: errors(error('PersistedQueryNotFound', 'PERSISTED_QUERY_NOT_FOUND')),
  },
  { title: 'a hash with its text', body: { query: oneTag, extensions: persisted }, status: 200, json: tag },
  { title: 'the hash alone, afterwards', body: { extensions: persisted }, status: 200, json: tag },
  {
    title: 'a hash of another text',
    body: { query: '{ __typename }', extensions: persisted },
    status: 400,
    json: errors(error('provided sha does not match query', 'INTERNAL_SERVER_ERROR')),
  },
  ...[
    ['happensAt: "nope"', 'DateTime cannot represent an invalid date-time-string nope.', 56],
    ['happensAt: "2024-02-30T00:00:00Z"', 'DateTime cannot represent an invalid date-time-string 2024-02-30T00:00:00Z.', 56],
    ['happensAt: "2024-02-03"', 'DateTime cannot represent an invalid date-time-string 2024-02-03.', 56],
    ['publishedOn: "2024-1-2"', 'Date cannot represent an invalid date-string 2024-1-2.', 58],
    ['startsAt: "25:00"', 'Expected value of type "Time", found "25:00"; Invalid time format, expected HH:mm:ss.SSS', 55],
    ['big: "abc"', 'Expected value of type "Long", found "abc"; Cannot convert abc to a BigInt', 50],
    ['status: nope', 'Value "nope" does not exist in "ENUM_ARTICLE_STATUS" enum. Did you mean the enum value "done"?', 53],
    ['views: 9999999999', 'Int cannot represent non 32-bit signed integer value: 9999999999', 52],
    [
      'blocks: [{ body: "b" }]',
      'Expected value of type "ArticleBlocksDynamicZoneInput!", found {body: "b"}; Component not found. expected one of: ComponentBlocksRichText, ComponentBlocksQuote',
      54,
    ],
  ].map(([field = '', message = '', column = 0]) => ({
    title: `a wrong literal: ${String(field)}`,
    body: { query: `mutation { createArticle(data: { title: "", ${String(field)} }) { data { id } } }` },
    status: 400,
    json: errors(error(String(message), invalid, [1, Number(column)])),
  })),
  ...[
    ['"xx"', 'Expected value of type "I18NLocaleCode", found "xx"; Unknown locale supplied'],
    ['5', 'Expected value of type "I18NLocaleCode", found 5; Locale cannot represent non string type'],
  ].map(([code = '', message = '']) => ({
    title: `a wrong locale: ${code}`,
    body: { query: `{ pages(sort: "id", locale: ${code}) { data { id } } }` },
    status: 400,
    json: errors(error(message, invalid, [1, 29])),
  })),
  ...[[5, '5'] as const, [['en'], '["en"]'] as const, [{ code: 'en' }, '{ code: "en" }'] as const].map(([value, shown]) => ({
    title: `a locale in a variable that is no text: ${shown}`,
    body: {
      query: 'query L($l: I18NLocaleCode) { pages(locale: $l) { data { id } } }',
      variables: { l: value },
    },
    status: 400,
    json: errors(
      error(
        `Variable "$l" got invalid value ${shown}; Expected type "I18NLocaleCode". Locale cannot represent non string type`,
        input,
        [1, 9],
      ),
    ),
  })),
  {
    title: 'a component without its name, in a variable',
    body: {
      query: 'mutation C($d: ArticleInput!) { createArticle(data: $d) { data { id } } }',
      variables: { d: { title: 'x', blocks: [{ body: 'b' }] } },
    },
    status: 400,
    json: errors(
      error(
        'Variable "$d" got invalid value { body: "b" } at "d.blocks[0]"; Expected type "ArticleBlocksDynamicZoneInput". Component not found. expected one of: ComponentBlocksRichText, ComponentBlocksQuote',
        input,
        [1, 12],
      ),
    ),
  },
  {
    title: 'mixed pagination',
    body: { query: '{ articles(pagination: { page: 1, start: 2 }) { data { id } } }' },
    status: 200,
    json: {
      errors: [
        {
          message: 'Cannot use both page & offset pagination in the same query',
          extensions: {
            error: {
              name: 'PaginationError',
              message: 'Cannot use both page & offset pagination in the same query',
              details: {},
            },
            code: 'STRAPI_PAGINATION_ERROR',
          },
        },
      ],
      data: { articles: null },
    },
  },
];

describe('GraphQL over HTTP', () => {
  let server: ServedGraphql;

  before(async () => {
    server = await serveGraphql({ models, documents });
  });
  after(() => server.stop());

  for (const { title, body, init, path, status, json, text } of cases)
    it(title, async () => {
      const request = init ?? { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
      const answer = await server.send(request, path);
      if (json !== undefined) expect(answer.body).to.deep.equal(json);
      if (text !== undefined) expect(answer.text).to.equal(text);
      expect(answer.status).to.equal(status);
      expect(answer.type).to.match(json !== undefined ? /^application\/json/ : /^text\/plain|^$/);
    });

  it('a stored value that does not fit a required attribute', async () => {
    await server.database.db
      .collection<{ _id: number }>('tags')
      .insertOne({ _id: 77, label: { not: 'text' } } as { _id: number });
    const { body } = await server.query('{ tag(id: 77) { data { attributes { label } } } }');
    expect(body.errors[0].message).to.equal('Cannot return null for non-nullable field Tag.label.');
    expect(body.errors[0].path).to.deep.equal(['tag', 'data', 'attributes', 'label']);
    expect(body.errors[0].extensions.code).to.equal('UNFIT_VALUE');
  });

  it('hides an internal error, and reports it', async () => {
    const broken = await serveGraphql({ models, parts: { schema: server.current }, breaks: true });
    try {
      const { body, status } = await broken.query('{ tags { data { id } } }');
      expect(body).to.deep.equal({
        errors: [{ message: 'Internal Server Error', extensions: { code: 'INTERNAL_SERVER_ERROR' } }],
        data: { tags: null },
      });
      expect(status).to.equal(200);
      expect(broken.reported).to.have.length(1);
    } finally {
      await broken.stop();
    }
  });
});

const limited: readonly { readonly title: string; readonly query: string; readonly message: string }[] = [
  {
    title: 'tokens',
    query: `{ ${Array.from({ length: 200 }, () => '__typename').join(' ')} }`,
    message: 'Syntax Error: Document contains more that 150 tokens. Parsing aborted.',
  },
  { title: 'aliases', query: '{ a: __typename b: __typename c: __typename }', message: 'The query has more than 2 aliases' },
  {
    title: 'aliases of fragments, wherever they are spread',
    query:
      '{ tags { data { ...T } } memo(id: 1) { data { id } } } fragment T on TagEntity { attributes { ...L } x: attributes { ...L } } fragment L on Tag { y: label }',
    message: 'The query has more than 2 aliases',
  },
  {
    title: 'fields at the root',
    query: '{ __typename tag(id: 1) { data { id } } tags { data { id } } memo(id: 1) { data { id } } }',
    message: 'The operation has more than 3 fields at its root',
  },
  {
    title: 'fields at the root, in fragments',
    query:
      '{ ...F ... { authors { data { id } } } } fragment F on Query { __typename tag(id: 1) { data { id } } memo(id: 1) { data { id } } }',
    message: 'The operation has more than 3 fields at its root',
  },
];

describe('GraphQL limits', () => {
  let server: ServedGraphql;

  before(async () => {
    server = await serveGraphql({
      models,
      documents,
      config: { limits: { tokens: 150, aliases: 2, rootFields: 3, batch: 10 } },
    });
  });
  after(() => server.stop());

  for (const { title, query, message } of limited)
    it(title, async () => {
      const { body } = await server.query(query);
      expect(body.errors[0].message).to.equal(message);
    });

  it('take linear time for sixty fragments that each spread the next one twice', async () => {
    const unlimited = await serveGraphql({ models, documents });
    const doubling = Array.from({ length: 60 }, (_, index) => {
      const next = `...F${String(index + 1)}`;
      return `fragment F${String(index)} on Tag { ${next} ${next} }`;
    });
    try {
      const query = `{ tag(id: 1) { data { attributes { ...F0 } } } } ${doubling.join(' ')} fragment F60 on Tag { label }`;
      expect((await unlimited.query(query)).body).to.deep.equal({ data: { tag: { data: { attributes: { label: 'red' } } } } });
    } finally {
      await unlimited.stop();
    }
  });
});
