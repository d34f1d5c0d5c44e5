import { expect } from 'chai';
import type { GraphQLNamedType } from 'graphql';
import type { CacheHint, Middleware, Register, Resolver } from '#index.js';
import { serveModels, type Serving, type TestModel } from '../../../support/serve.js';

const tag: TestModel = {
  uid: 'api::tag.tag',
  kind: 'collectionType',
  collectionName: 'tags',
  info: { singularName: 'tag', pluralName: 'tags', displayName: 'Tag' },
  attributes: { label: { type: 'string' }, others: { type: 'relation', relation: 'oneToMany', target: 'api::tag.tag' } },
};

/** Code that sets the hint of a field. */
type Hinting = Readonly<Record<string, readonly CacheHint[]>>;

interface Case {
  readonly hints?: Hinting;
  readonly query: string;
  readonly header: string | null;
}

const whole: Hinting = {
  'Query.tags': [{ maxAge: 60 }],
  'TagEntityResponseCollection.data': [{ maxAge: 90 }],
  'TagEntity.attributes': [{ maxAge: 80 }],
};
const labels = '{ tags { data { attributes { label } } } }';

/** Answers of Apollo Server 3 for the same hints. */
const cases: readonly Case[] = [
  { hints: whole, query: labels, header: 'max-age=60, public' },
  { hints: { ...whole, 'TagEntity.attributes': [{ maxAge: 20 }] }, query: labels, header: 'max-age=20, public' },
  { hints: { ...whole, 'Tag.label': [{ scope: 'PRIVATE' }] }, query: labels, header: 'max-age=60, private' },
  { hints: { ...whole, 'Tag.label': [{ maxAge: 5 }, { scope: 'PRIVATE' }] }, query: labels, header: 'max-age=5, private' },
  { hints: { 'Query.tags': [{ maxAge: 60 }] }, query: labels, header: null },
  { hints: { ...whole, 'Query.tags': [{ maxAge: 0 }] }, query: labels, header: null },
  { hints: whole, query: '{ tags { data { attributes { label } } } again: tags { data { id } } }', header: 'max-age=60, public' },
  { hints: whole, query: '{ tags { data { attributes { label } } } own }', header: null },
  { hints: whole, query: '{ tags { data { attributes { others { data { id } } } } } }', header: null },
  { hints: { 'Query.own': [{ maxAge: 30 }] }, query: '{ own }', header: 'max-age=30, public' },
  { hints: { 'Query.own': [{ maxAge: 30 }] }, query: '{ own broken }', header: null },
  { hints: { 'Query.own': [{ maxAge: 30 }] }, query: '{ tags { data { id } } }', header: null },
  { query: labels, header: null },
  { query: '{ shared { inner { text } } }', header: 'max-age=240, public' },
];

const typeDefs = `
  enum CacheControlScope { PUBLIC PRIVATE }
  directive @cacheControl(maxAge: Int, scope: CacheControlScope, inheritMaxAge: Boolean) on FIELD_DEFINITION | OBJECT
  type Shared @cacheControl(maxAge: 240) { inner: Inner @cacheControl(inheritMaxAge: true) }
  type Inner { text: String }
  type Query { own: String broken: String shared: Shared seen: String }`;

const configured = ['Query.tags', 'Query.own', 'TagEntityResponseCollection.data', 'TagEntity.attributes', 'Tag.label'];

describe('Hints for caches by code of GraphQL', () => {
  let serving: Serving;
  let hints: Hinting = {};
  let seen: object[] = [];

  /** Sets the hints of a field. Those without any are not asked for `info.cacheControl`. */
  const hinting =
    (field: string): Middleware =>
    (next, ...[, , , info]) => {
      for (const hint of hints[field] ?? []) {
        info.cacheControl.setCacheHint(hint);
        seen.push({ ...info.cacheControl.cacheHint });
      }
      return next();
    };

  const register: Register = ({ graphql: { extension } }) => {
    const resolvers: Readonly<Record<string, Resolver>> = {
      own: () => 'own',
      broken: () => {
        throw new Error('broken');
      },
      shared: () => ({ inner: { text: 'a' } }),
      seen: (...[, , , { cacheControl, schema }]) =>
        JSON.stringify(cacheControl.cacheHintFromType(schema.getType('Shared') as GraphQLNamedType)), // is in the schema
    };
    const open = Object.keys(resolvers).map((name) => [`Query.${name}`, { auth: false }]);
    const fields = configured.map((field) => [field, { auth: false, middlewares: [hinting(field)] }]);
    extension.use({
      typeDefs,
      resolvers: { Query: resolvers },
      resolversConfig: Object.fromEntries([...open, ...fields]) as never,
    });
  };

  const ask = (body: unknown): Promise<Response> =>
    fetch(`${serving.server.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  before(async () => {
    serving = await serveModels({ models: [tag], documents: { tags: [{ _id: 1, label: 'red' }] }, register });
  });
  after(() => serving.stop());

  for (const { hints: given = {}, query, header } of cases)
    it(`${query} with ${JSON.stringify(given)}: ${String(header)}`, async () => {
      hints = given;
      const answers = [await ask({ query }), await ask({ query })];
      expect(answers.map(({ headers }) => headers.get('cache-control'))).to.deep.equal([header, header]);
    });

  it('shows the hint, and what the schema says of a type; a batch has no header', async () => {
    [hints, seen] = [{ 'Query.own': [{ maxAge: 30, scope: 'PRIVATE' }] }, []];
    const batch = await ask([{ query: '{ own }' }]);
    const { data } = (await (await ask({ query: '{ seen }' })).json()) as { data: unknown };
    expect(batch.headers.get('cache-control')).to.equal(null);
    expect(seen).to.deep.equal([{ maxAge: 30, scope: 'PRIVATE' }]);
    expect(data).to.deep.equal({ seen: '{"maxAge":240}' });
  });
});
