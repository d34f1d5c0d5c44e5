import { expect } from 'chai';
import { collectionType } from '../../support/collection-type.js';
import { serveModels, type Serving } from '../../support/serve.js';

const models = [
  collectionType(
    'post',
    {
      title: { type: 'string' },
      secret: { type: 'string', private: true },
      author: { type: 'relation', relation: 'manyToOne', target: 'api::author.author', inversedBy: 'posts' },
    },
    { options: { draftAndPublish: true }, pluginOptions: { i18n: { localized: true } } },
  ),
  collectionType('author', {
    name: { type: 'string' },
    posts: { type: 'relation', relation: 'oneToMany', target: 'api::post.post', mappedBy: 'author' },
  }),
  // with the name that a type of connections has
  collectionType('page-info', { text: { type: 'string' } }),
];

const published = new Date(0);
const documents = {
  posts: Array.from({ length: 9 }, (_, index) => ({
    _id: index + 1,
    _group: index + 1,
    locale: index === 8 ? 'fr' : 'en',
    title: `Post ${String(index % 3)}`,
    publishedAt: index === 7 ? null : published,
    author: (index % 2) + 1,
  })),
  i18n_locales: ['en', 'fr'].map((code, index) => ({ _id: index + 1, code, name: code })),
  authors: [
    { _id: 1, name: 'Ada' },
    { _id: 2, name: 'Bob' },
  ],
};

const nodes = 'nodes { id }';
const info = 'pageInfo { hasNextPage hasPreviousPage }';

interface Shown {
  readonly ids: readonly number[];
  readonly next: boolean;
  readonly previous: boolean;
}

/** Arguments behind the sort, where `3` is the cursor of the third entry, and what the page is. The list in order: 1 4 7 2 5 3 6. */
const pages: readonly (readonly [args: string, page: Shown])[] = [
  ['first: 3', { ids: [1, 4, 7], next: true, previous: false }],
  ['first: 3, after: 3', { ids: [2, 5, 3], next: true, previous: true }],
  ['first: 3, after: 6', { ids: [6], next: false, previous: true }],
  ['after: 7', { ids: [], next: false, previous: true }],
  ['last: 2', { ids: [3, 6], next: false, previous: true }],
  ['last: 2, before: 3', { ids: [1, 4], next: true, previous: false }],
  ['last: 2, before: 6', { ids: [2, 5], next: true, previous: true }],
  ['before: 1', { ids: [], next: true, previous: false }],
  ['first: 0', { ids: [], next: true, previous: false }],
  ['first: 0, after: 3', { ids: [], next: true, previous: true }],
  ['last: 0', { ids: [], next: false, previous: true }],
  ['first: 100', { ids: [1, 4, 7, 2, 5, 3, 6], next: false, previous: false }],
  ['first: null, after: null', { ids: [1, 4, 7, 2, 5, 3, 6], next: false, previous: false }],
  ['first: 2, publicationState: PREVIEW, filters: { title: { eq: "Post 1" } }', { ids: [2, 5], next: true, previous: false }],
  ['locale: "fr"', { ids: [9], next: false, previous: false }],
];

/** Arguments, and the argument that the error names. */
const refused: readonly (readonly [args: string, message: string])[] = [
  ['first: 2, last: 2', 'Invalid parameter last'],
  ['first: 2, before: 3', 'Invalid parameter before'],
  ['last: 2, after: 3', 'Invalid parameter last'],
  ['first: 2, after: 3, before: 5', 'Invalid parameter before'],
  ['first: -1', 'Invalid parameter first'],
  ['last: -1', 'Invalid parameter last'],
  ['after: ""', 'Invalid parameter after'],
  ['after: "abc"', 'Invalid parameter after'],
  [`after: "${'a'.repeat(10_000)}"`, 'Invalid parameter after'],
  ['after: 3, filters: { title: { eq: "Post 1" } }', 'Invalid parameter after'],
  ['before: 3, locale: "fr"', 'Invalid parameter before'],
  ['after: 3, publicationState: PREVIEW', 'Invalid parameter after'],
];

describe('connections', () => {
  let serving: Serving;
  const cursors: string[] = [];

  const ask = async (query: string) => {
    const { body } = await serving.call('POST', '/graphql', { query });
    return body;
  };
  /** Returns the arguments with cursors in place of the numbers of entries. */
  const withCursors = (args: string): string =>
    args.replaceAll(
      /(after|before): (\d)/g,
      (_, name: string, index: string) => `${name}: "${cursors[Number(index) - 1] ?? ''}"`,
    );

  before(async () => {
    serving = await serveModels({
      models,
      documents,
      config: { plugins: { graphql: { config: { connections: true, depthLimit: 8 } } } },
    });
    const { data } = await ask('{ posts_connection(sort: "title") { edges { cursor } } }');
    cursors.push(...data.posts_connection.edges.map(({ cursor }: { cursor: string }) => cursor));
  });
  after(() => serving.stop());

  for (const [args, { ids, next, previous }] of pages)
    it(`posts_connection(${args})`, async () => {
      const query = `{ posts_connection(sort: "title", ${withCursors(args)}) { ${nodes} edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;
      const { data, errors } = await ask(query);
      expect(errors).to.equal(undefined);
      const { edges, pageInfo, ...rest } = data.posts_connection;
      const entities = ids.map((id) => ({ id: String(id) }));
      expect({ ...rest, edges: edges.map(({ node }: { node: object }) => node) }).to.deep.equal({
        nodes: entities,
        edges: entities,
      });
      expect(pageInfo).to.deep.equal({
        hasNextPage: next,
        hasPreviousPage: previous,
        startCursor: edges[0]?.cursor ?? null,
        endCursor: edges.at(-1)?.cursor ?? null,
      });
    });

  for (const [args, message] of refused)
    it(`posts_connection(${args.slice(0, 60)}) is refused`, async () => {
      const { data, errors } = await ask(`{ posts_connection(sort: "title", ${withCursors(args)}) { ${nodes} } }`);
      expect(data.posts_connection).to.equal(null);
      expect(errors[0].message).to.contain(message);
      expect(errors[0].extensions.error.name).to.equal('ValidationError');
    });

  it('a cursor of a type without drafts is valid for drafts too, as it was before their state was part of it', async () => {
    const rest = '/api/authors?sort=name&publicationState=preview&pagination[cursors]=true&pagination[limit]=1';
    const { body } = await serving.call('GET', rest);
    const { data, errors } = await ask(
      `{ authors_connection(sort: "name", after: "${String(body.meta.pagination.cursors.end)}") { nodes { id } } }`,
    );
    expect(errors).to.equal(undefined);
    expect(data.authors_connection.nodes).to.deep.equal([{ id: '2' }]);
  });

  it('selections below aliased edges and nodes are read separately', async () => {
    const { data } = await ask(`{ posts_connection(first: 2, sort: "title") {
      few: edges { it: node { attributes { author { data { id } } } } }
      more: edges { node { attributes { title author { data { attributes { name } } } } } }
      nodes { attributes { author { data { id attributes { name } } } } }
    } }`);
    const ada = { name: 'Ada' };
    const of = (attributes: object) => ({ node: { attributes } });
    expect(data.posts_connection.few).to.deep.equal(
      ['1', '2'].map((id) => ({ it: { attributes: { author: { data: { id } } } } })),
    );
    expect(data.posts_connection.more[0]).to.deep.equal(of({ title: 'Post 0', author: { data: { attributes: ada } } }));
    expect(data.posts_connection.nodes[0]).to.deep.equal({ attributes: { author: { data: { id: '1', attributes: ada } } } });
  });

  it('one command for the page, and one for the other side if that is selected and the entry of the cursor is gone', async () => {
    const count = async (selected: string): Promise<readonly string[]> => {
      const query = `{ posts_connection(sort: "title", ${withCursors('after: 6')}) { ${selected} } }`;
      return (await serving.countCommands(() => ask(query))).commands;
    };
    await count(nodes);
    expect(await count(`${nodes} ${info}`)).to.deep.equal(['find']);
    await serving.call('DELETE', '/api/posts/3');
    await serving.settled();
    expect(await count(`${nodes} pageInfo { hasNextPage endCursor }`)).to.deep.equal(['find']);
    expect(await count(`${nodes} ${info}`)).to.deep.equal(['find', 'find']);
  });

  it('the depth of an operation is limited as for lists', async () => {
    const deep = 'attributes { author { data { attributes { posts { data { id } } } } } }';
    const { errors } = await ask(`{ posts_connection { edges { node { ${deep} } } } }`);
    expect(errors[0].message).to.contain('exceeds maximum operation depth of 8');
  });

  it('private attributes can neither be sorted by nor be filtered by', async () => {
    const { errors } = await ask('{ posts_connection(sort: "secret") { nodes { id } } }');
    expect(errors[0].message).to.equal('Invalid parameter secret');
  });

  it('requires the right to find entries', async () => {
    const closed = await serveModels({
      models,
      documents: {},
      config: { api: { open: false }, plugins: { graphql: { config: { connections: true } } } },
    });
    try {
      const { body } = await closed.call('POST', '/graphql', { query: '{ authors_connection { nodes { id } } }' });
      expect(body.errors[0].message).to.equal('Forbidden access');
    } finally {
      await closed.stop();
    }
  });

  it('a type with the name PageInfo is not in the schema', async () => {
    const { data } = await ask('{ __type(name: "PageInfo") { fields { name } } }');
    expect(data.__type.fields.map(({ name }: { name: string }) => name)).to.deep.equal([
      ...['hasNextPage', 'hasPreviousPage', 'startCursor', 'endCursor'],
    ]);
  });

  it('do not exist by default', async () => {
    const plain = await serveModels({ models });
    try {
      const { body } = await plain.call('POST', '/graphql', {
        query: '{ __schema { types { name } queryType { fields { name } } } }',
      });
      const { types, queryType } = body.data.__schema;
      const names = [...types, ...queryType.fields].map(({ name }: { name: string }) => name);
      expect(names.filter((name) => /connection|edge$/i.test(name))).to.deep.equal([]);
      expect(names).to.include('PageInfoEntity');
    } finally {
      await plain.stop();
    }
  });
});
