import { expect } from 'chai';
import { getIntrospectionQuery, GraphQLError, type ValidationRule } from 'graphql';
import { ConfigError } from '#settings/setting.js';
import { createConfig } from '#settings/create-config.js';
import { graphqlSettings } from '#api/graphql/endpoint/graphql-settings.js';
import { documents, models } from './content.js';
import { serveGraphql, type ServedGraphql } from './serve-graphql.js';

describe('Options of apolloServer', () => {
  const serveWith = async (config: object, environment: string, act: (server: ServedGraphql) => Promise<void>) => {
    const server = await serveGraphql({ models, documents, config: { ...config }, environment });
    try {
      await act(server);
    } finally {
      await server.stop();
    }
  };

  for (const environment of ['production', 'prod', 'Staging', 'stage'])
    it(`hide introspection in ${environment}, but not __typename`, () =>
      serveWith({}, environment, async (server) => {
        const { body, status } = await server.query('{ __schema { queryType { name } } }');
        expect(status).to.equal(400);
        expect(body.errors[0].message).to.match(/^GraphQL introspection is not allowed by Apollo Server/);
        expect((await server.query('{ __typename }')).body).to.deep.equal({ data: { __typename: 'Query' } });
      }));

  const environments: readonly (readonly [environment: string, isExplorable: boolean, showsStacks: boolean])[] = [
    ['', true, true],
    ['development', true, true],
    ['test', true, false],
    ['staging', true, false],
    ['production', false, false],
    ['prod', false, false],
    ['STAGING', false, false],
  ];
  for (const [environment, isExplorable, showsStacks] of environments)
    it(`are by default right for NODE_ENV=${environment}`, () => {
      const config = createConfig({ environment });
      const { introspection, playground, stacktraces } = graphqlSettings(config.plugins.graphql.config, config);
      expect({ introspection, playground, stacktraces }).to.deep.equal({
        introspection: isExplorable,
        playground: isExplorable,
        stacktraces: showsStacks,
      });
    });

  it('introspection: true shows it in production too', () =>
    serveWith({ apolloServer: { introspection: true } }, 'production', async (server) => {
      const { body } = await server.query(getIntrospectionQuery());
      expect(body.data.__schema.queryType.name).to.equal('Query');
    }));

  describe('without introspection no error suggests a name', () => {
    const asks: readonly (readonly [query: string, variables?: object])[] = [
      ['{ articls { data { id } } }'],
      ['{ articles { dat { id } } }'],
      ['{ articles { data { attributes { titel } } } }'],
      ['{ articles { data { attributes } } }'],
      ['{ articles(filter: {}) { data { id } } }'],
      ['{ articles(filters: { titel: { eq: "x" } }) { data { id } } }'],
      ['{ articles(filters: { title: { equ: "x" } }) { data { id } } }'],
      ['{ articles(publicationState: LIV) { data { id } } }'],
      ['{ ... on Artcle { id } }'],
      ['query ($f: ArticleFilterInput) { articles(filters: $f) { data { id } } }'],
      ['query ($f: ArticleFiltersInput) { articles(filters: $f) { data { id } } }', { f: { titel: { eq: 'x' } } }],
      ['query ($p: PublicationState) { articles(publicationState: $p) { data { id } } }', { p: 'LIV' }],
      ['mutation { createArticl(data: {}) { data { id } } }'],
      ['mutation { createArticle(data: { titel: "x" }) { data { id } } }'],
      ['{ __typename @skp(if: true) }'],
      ['{ __typename @skip(iff: true) }'],
    ];
    for (const environment of ['production', 'test'])
      it(environment, () =>
        serveWith({}, environment, async (server) => {
          const told: string[] = [];
          for (const [query, variables] of asks) {
            const { body, text } = await server.query(query, variables);
            expect(body.errors, query).to.have.length.greaterThan(0);
            if (/did you mean/i.test(text)) told.push(query);
          }
          if (environment === 'production') expect(told).to.deep.equal([]);
          else expect(told).to.have.length.greaterThan(10);
        }),
      );
  });

  it('allowBatchedHttpRequests: false', () =>
    serveWith({ apolloServer: { allowBatchedHttpRequests: false } }, 'test', async (server) => {
      const answer = await server.send({
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '[{"query":"{ __typename }"}]',
      });
      expect(answer.status).to.equal(400);
      expect(answer.body.errors[0].message).to.equal('Operation batching disabled.');
    }));

  it('csrfPrevention: true', () =>
    serveWith({ apolloServer: { csrfPrevention: true } }, 'test', async (server) => {
      const path = `/graphql?query=${encodeURIComponent('{ __typename }')}`;
      expect((await server.send({}, path)).status).to.equal(400);
      expect((await server.send({ headers: { 'apollo-require-preflight': '1' } }, path)).status).to.equal(200);
      expect((await server.query('{ __typename }')).status).to.equal(200);
    }));

  it('csrfPrevention: { requestHeaders }', () =>
    serveWith({ apolloServer: { csrfPrevention: { requestHeaders: ['X-Own'] } } }, 'test', async (server) => {
      const path = `/graphql?query=${encodeURIComponent('{ __typename }')}`;
      for (const [header, status] of [
        ['apollo-require-preflight', 400],
        ['x-own', 200],
      ] as const)
        expect((await server.send({ headers: { [header]: '1' } }, path)).status, header).to.equal(status);
      expect((await server.send({}, path)).text).to.match(/one of the following headers: X-Own\n$/);
    }));

  it('validationRules', () => {
    const noLabels: ValidationRule = (context) => ({
      Field(node) {
        if (node.name.value === 'label') context.reportError(new GraphQLError('no labels', { nodes: node }));
      },
    });
    return serveWith({ apolloServer: { validationRules: [noLabels] } }, 'test', async (server) => {
      const { body, status } = await server.query('{ tags { data { attributes { label } } } }');
      expect([status, body.errors[0].message]).to.deep.equal([400, 'no labels']);
      expect((await server.query('{ tag(id: 1) { data { id } } }')).status).to.equal(200);
    });
  });

  it('rules and hooks that are no functions are refused at the start', () => {
    const { config } = createConfig({}).plugins.graphql;
    const place = createConfig({ environment: 'test' });
    const read = (apolloServer: object) => () => graphqlSettings({ ...config, apolloServer: { ...apolloServer } }, place);
    expect(read({ validationRules: [5] })).to.throw(ConfigError, 'apolloServer.validationRules is not a list of functions');
    expect(read({ formatError: 'mine' })).to.throw(ConfigError, 'apolloServer.formatError is not a function');
  });

  it('formatError, with the thrown error at hand', () => {
    const formatError = ({ message, originalError }: GraphQLError) => ({
      message: `${originalError?.name ?? 'none'}: ${message}`,
    });
    return serveWith({ apolloServer: { formatError } }, 'test', async (server) => {
      const { body } = await server.query('{ tags(sort: "nope") { data { id } } }');
      expect(body.errors).to.deep.equal([{ message: 'ValidationError: Invalid parameter nope' }]);
    });
  });

  for (const formatError of [
    () => null,
    () => {
      throw new Error('of the hook');
    },
  ])
    it(`formatError that fails leaves the error as it is: ${String(formatError)}`, () =>
      serveWith({ apolloServer: { formatError } }, 'test', async (server) => {
        const { body, status } = await server.query('{ unicorns { id } }');
        expect([status, body.errors[0].message]).to.deep.equal([400, 'Cannot query field "unicorns" on type "Query".']);
        expect(body.errors[0].extensions).to.deep.equal({ code: 'GRAPHQL_VALIDATION_FAILED' });
      }));

  it('formatError', () =>
    serveWith({ apolloServer: { formatError: (error: object) => ({ ...error, message: 'mine' }) } }, 'test', async (server) => {
      const { body } = await server.query('{ nope }');
      expect(body.errors[0].message).to.equal('mine');
    }));

  it('show stack traces in development', () =>
    serveWith({ apolloServer: { debug: true } }, 'development', async (server) => {
      await server.database.db.collection('tags').insertOne({ _id: 78 as never, hot: true });
      const { body } = await server.query('{ tag(id: 78) { data { attributes { label } } } }');
      expect(body.errors[0].extensions.exception.stacktrace).to.be.an('array');
    }));
});
