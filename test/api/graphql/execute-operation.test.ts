import { expect } from 'chai';
import { execute, parse, type ExecutionResult } from 'graphql';
import { executeOperation } from '#api/graphql/execute/execute-operation.js';
import { type Access, actionOf } from '#model/query/access.js';
import { type GraphqlContext } from '#api/graphql/graphql-context.js';
import { noteCaller } from '#api/code/caller-state.js';
import { documents, models } from './content.js';
import { serveGraphql, type ServedGraphql } from './serve-graphql.js';

const queries: readonly { readonly query: string; readonly variables?: Record<string, unknown> }[] = [
  { query: '{ __typename tags(sort: "id") { __typename data { id attributes { label hot } } } }' },
  {
    query:
      '{ articles(sort: "id") { data { id attributes { title dossier { data { id } } author { data { attributes { name } } } } } } }',
  },
  { query: '{ vaults { data { id } } tags { data { id } } }' },
  {
    query: '{ broken: tag(id: 50) { data { id attributes { label } } } whole: tag(id: 1) { data { id attributes { label } } } }',
  },
  {
    query:
      '{ article(id: 1) { data { attributes { blocks { __typename ... on ComponentBlocksQuote { text } } sections { links { label } } } } } }',
  },
  { query: '{ articles(filters: { secret: { eq: "x" } }) { data { id } } }' },
  { query: '{ author(id: 1) { data { attributes { articles(sort: "secret") { data { id } } } } } }' },
  {
    query:
      'query ($id: ID, $yes: Boolean!) { article(id: $id) { data { id @skip(if: $yes) attributes { title ...F } } } } fragment F on Article { views title }',
    variables: { id: 2, yes: true },
  },
  { query: 'query ($id: ID!) { article(id: $id) { data { id } } }', variables: {} },
  { query: 'query ($yes: Boolean = true) { tags { data { id @include(if: $yes) } } }', variables: { yes: null } },
  { query: 'query ($yes: Boolean = true) { tags @skip(if: $yes) { data { id } } __typename }', variables: { yes: null } },
  { query: '{ __schema { queryType { name } } tag(id: 1) { data { id } } }' },
  { query: '{ __proto__: tag(id: 1) { data { id } } }' },
  { query: '{ x: article(id: 1) { a: data { b: attributes { c: author { d: data { e: id } } } } } }' },
  { query: 'mutation { updateArticle(id: 999, data: {}) { data { id } } deleteVault(id: 1) { data { id } } }' },
];

describe('Executing an operation', () => {
  let server: ServedGraphql;
  let context: (caller?: Access) => GraphqlContext;
  const pages = { defaultLimit: 10, maxLimit: 100 };
  const granted = ['article', 'author', 'tag'].flatMap((name) =>
    ['find', 'findOne', 'update'].map((action) => actionOf(`api::${name}.${name}`, action)),
  );
  const access = { grants: { kind: 'actions', actions: new Set(granted) }, rules: new Map(), hidden: new Map() } as const;

  before(async () => {
    const tags = [...(documents['tags'] ?? []), { _id: 50 }];
    server = await serveGraphql({ models, documents: { ...documents, tags }, access });
    context = (caller = access) => ({
      access: caller,
      caller: { kind: 'public', access: caller, publicRoleIsEmpty: false, ended: null },
      content: { ...server.content, bind: { ...server.content.bind, access: caller } },
      pages,
      isKeyed: false,
      failures: new Map(),
      cacheHints: new Map(),
      tracer: null,
      running: null as never, // only the fields of plugins look at it
      staging: null,
      koaContext: null as never, // no resolver of a generated field looks at it
      state: noteCaller({}, { kind: 'public', access, publicRoleIsEmpty: false, ended: null }, server.content.bind.registry),
    });
  });
  after(() => server.stop());

  const plain = (result: ExecutionResult): unknown => JSON.parse(JSON.stringify(result));

  for (const { query, variables } of queries)
    it(`returns what graphql-js returns: ${query}`, async () => {
      const { schema } = await server.current.read();
      const operation = { schema, document: parse(query), variableValues: variables ?? {} };
      const expected = await execute({ ...operation, contextValue: context() });
      // What it compiled for the second time is kept for the third.
      for (let time = 1; time <= 3; time++) {
        const own = await executeOperation({ ...operation, contextValue: context() });
        expect(plain(own)).to.deep.equal(plain(expected));
        expect(JSON.stringify(own.data)).to.equal(JSON.stringify(expected.data));
      }
    });

  it('reuses what it compiled for the same variables and the same caller', async () => {
    const { schema } = await server.current.read();
    const document = parse(
      'query ($id: ID!, $title: String) { article(id: $id) { data { id attributes { author { data { id } } } } } articles(filters: { title: { eq: $title } }) { data { id } } }',
    );
    const articles = ['find', 'findOne'].map((action) => actionOf('api::article.article', action));
    const blind: Access = { ...access, grants: { kind: 'actions', actions: new Set(articles) } };
    const asked = [
      { variableValues: { id: 1 }, caller: access },
      { variableValues: { id: 2, title: 'none' }, caller: access },
      { variableValues: { id: 1 }, caller: blind },
    ];
    for (const { variableValues, caller } of [...asked, ...asked, ...asked]) {
      const operation = { schema, document, variableValues };
      const expected = await execute({ ...operation, contextValue: context(caller) });
      expect(plain(await executeOperation({ ...operation, contextValue: context(caller) }))).to.deep.equal(plain(expected));
    }
  });

  for (const { count, shown } of [
    { count: 60, shown: 50 },
    { count: 5000, shown: 1 },
  ])
    it(`of ${String(count)} wrong values in a variable it shows ${String(shown)}, and looks no further`, async () => {
      let reads = 0;
      const wrong = Object.create({
        get label() {
          reads++;
          return 5;
        },
      }) as object;
      const { schema } = await server.current.read();
      const document = parse('query ($or: [TagFiltersInput]) { tags(filters: { or: $or }) { data { id } } }');
      const variableValues = { or: Array.from({ length: count }, () => wrong) };
      const { errors = [] } = await executeOperation({ schema, document, variableValues, contextValue: context() });
      expect(errors).to.have.length(shown + 1);
      expect(errors.at(-1)?.message).to.equal('Too many errors processing variables, error limit reached. Execution aborted.');
      expect(reads).to.be.lessThan(60);
    });
});
