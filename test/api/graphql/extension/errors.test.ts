import { expect } from 'chai';
import { GraphQLError } from 'graphql';
import * as mangrove from '#index.js';
import { serveExtended, type ServedExtended } from './serve-extended.js';

const { ApplicationError, ForbiddenError, NotFoundError, PolicyError, UnauthorizedError, ValidationError } = mangrove;

/** An error as http-errors makes it. */
const conflict = Object.assign(new (class extends class HttpError extends Error {} {})('Taken'), {
  ...{ name: 'ConflictError', status: 409, expose: true, details: { by: 1 } },
});

/** Thrown errors, and their name, message, details and code in the answer. */
const cases: Readonly<Record<string, readonly [Error, name: string, message: string, details: object, code: string]>> = {
  policy: [new PolicyError(), 'PolicyError', 'Policy Failed', {}, 'FORBIDDEN'],
  ownPolicy: [new PolicyError('Not on Sundays', { day: 0 }), 'PolicyError', 'Not on Sundays', { day: 0 }, 'FORBIDDEN'],
  forbidden: [new ForbiddenError(), 'ForbiddenError', 'Forbidden access', {}, 'FORBIDDEN'],
  unauthorized: [new UnauthorizedError('Who?'), 'UnauthorizedError', 'Who?', {}, 'FORBIDDEN'],
  application: [
    new ApplicationError('Sold out', { left: 0 }),
    ...(['ApplicationError', 'Sold out', { left: 0 }, 'STRAPI_APPLICATION_ERROR'] as const),
  ],
  validation: [new ValidationError('Too short'), 'ValidationError', 'Too short', {}, 'BAD_USER_INPUT'],
  conflict: [conflict, 'ConflictError', 'Taken', { by: 1 }, 'STRAPI_CONFLICT_ERROR'],
  notFound: [new NotFoundError(), 'NotFoundError', 'Entity not found', {}, 'STRAPI_NOT_FOUND_ERROR'],
};

/** An ApolloError as `apollo-server-errors` makes it. */
const apolloError = Object.assign(new (class ApolloError extends Error {})('Too many'), {
  extensions: { code: 'TOO_MANY', limit: 3 },
});

/** Errors that are written for GraphQL clients, and their extensions in the answer. The last is of another package of graphql. */
const written: Readonly<Record<string, readonly [Error, extensions: object]>> = {
  graphql: [new GraphQLError('Own words', { extensions: { code: 'OWN', hint: 'none' } }), { code: 'OWN', hint: 'none' }],
  apollo: [apolloError, { limit: 3, code: 'TOO_MANY' }],
  codeless: [
    Object.assign(new (class GraphQLError extends Error {})('Foreign'), { extensions: {} }),
    { code: 'INTERNAL_SERVER_ERROR' },
  ],
};

describe('errors of custom code', () => {
  let server: ServedExtended;
  before(async () => {
    server = await serveExtended({
      register: ({ graphql }) =>
        graphql.extension.use({
          typeDefs: 'extend type Query { fail(how: String!): Int }',
          resolvers: {
            Query: {
              fail: (_parent, { how }: { how: string }) => {
                throw (
                  cases[how]?.[0] ??
                  written[how]?.[0] ??
                  (how === 'plain' ? new Error('in plain words') : new TypeError('a secret'))
                );
              },
            },
          },
          resolversConfig: { 'Query.fail': { auth: false } },
        }),
    });
  });
  after(() => server.stop());

  for (const [how, [, name, message, details, code]] of Object.entries(cases))
    it(`${how}: ${message}`, async () => {
      const { status, body } = await server.query(`{ fail(how: "${how}") }`);
      const extensions = { error: { name, message, details }, code };
      expect([status, body]).to.deep.equal([200, { errors: [{ message, extensions }], data: { fail: null } }]);
    });

  for (const [how, [{ message }, extensions]] of Object.entries(written))
    it(`${how}: an error with extensions is answered as it is`, async () => {
      const { status, body } = await server.query(`{ fail(how: "${how}") }`);
      const errors = [{ message, locations: [{ line: 1, column: 3 }], path: ['fail'], extensions }];
      expect([status, body]).to.deep.equal([200, { errors, data: { fail: null } }]);
    });

  it('a plain error shows its message, an internal one does not', async () => {
    const of = async (how: string) => (await server.query(`{ fail(how: "${how}") }`)).body.errors[0];
    expect(await of('plain')).to.deep.include({ message: 'in plain words' });
    expect(server.reported).to.deep.equal([]);
    expect(await of('bug')).to.deep.include({ message: 'Internal Server Error' });
    expect(server.reported.map(String)).to.deep.equal(['TypeError: a secret']);
  });
});
