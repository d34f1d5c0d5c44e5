import { expect } from 'chai';
import { GraphQLScalarType } from 'graphql';
import type { CommandStartedEvent } from 'mongodb';
import type { UsedExtension } from '#api/graphql/extension/extension.js';
import type { Entity } from '#api/code/entity-service.js';
import { serveExtended, type ServedExtended } from './serve-extended.js';

interface Case {
  readonly title: string;
  readonly use: readonly UsedExtension[];
  readonly query: string;
  readonly data: unknown;
  /** Database commands; not looked at where it is left out. */
  readonly commands?: readonly string[];
}

const open = (name: string) => ({ [name]: { auth: false } }) as const;

const cases: readonly Case[] = [
  {
    title: 'typeDefs: types of the service that no generated field uses',
    use: [
      {
        typeDefs:
          'type Query { own(at: TimeFilterInput, size: LongFilterInput): ResponseCollectionMeta problem: Error pages2: Pagination }',
        resolvers: { Query: { problem: () => ({ code: 'none' }) } },
        resolversConfig: open('Query.problem'),
      },
    ],
    query: '{ problem { code message } }',
    data: { problem: { code: 'none', message: null } },
  },
  {
    title: 'typeDefs: a query, a type and a field of a generated type',
    use: [
      {
        typeDefs: `
          type Query { hello(name: String!): Greeting }
          type Greeting { text: String! }
          extend type Article { shout: String }
        `,
        resolvers: {
          Query: { hello: { resolve: (_parent: unknown, { name }: { name: string }) => ({ text: `Hello ${name}` }) } },
          Article: { shout: (article: Entity) => `${String(article['title']).toUpperCase()}!` },
        },
        resolversConfig: open('Query.hello'),
      },
    ],
    query: '{ hello(name: "you") { text } article(id: 1) { data { attributes { shout } } } }',
    data: { hello: { text: 'Hello you' }, article: { data: { attributes: { shout: 'ARTICLE 1!' } } } },
    commands: ['find'],
  },
  {
    title: 'types: Nexus, given by a function',
    use: [
      ({ nexus }) => ({
        types: [
          nexus.objectType({ name: 'Stats', definition: (t) => t.nonNull.int('articles') }),
          [
            nexus.queryField('stats', {
              type: 'Stats',
              resolve: async () => ({ articles: 12 }),
            }),
            nexus.extendType({
              type: 'Article',
              definition: (t) => t.string('initial', { resolve: ({ title }: { title: string }) => title.slice(0, 1) }),
            }),
          ],
        ],
        resolversConfig: open('Query.stats'),
      }),
    ],
    query: '{ stats { articles } articles(pagination: { limit: 2 }) { data { attributes { initial } } } }',
    data: {
      stats: { articles: 12 },
      articles: { data: [{ attributes: { initial: 'A' } }, { attributes: { initial: 'A' } }] },
    },
  },
  {
    title: 'typeDefs see the types of Nexus, of an earlier extension',
    use: [
      ({ nexus }) => ({ types: [nexus.objectType({ name: 'Stats', definition: (t) => t.int('n') })] }),
      {
        typeDefs: 'extend type Query { stats: Stats }',
        resolvers: { Query: { stats: () => ({ n: 1 }) } },
        resolversConfig: open('Query.stats'),
      },
    ],
    query: '{ stats { n } }',
    data: { stats: { n: 1 } },
  },
  {
    title: 'plugins: Nexus, around generated resolvers too',
    use: [
      ({ nexus }) => ({
        plugins: [
          nexus.plugin({
            name: 'shouting',
            onCreateFieldResolver: ({ parentTypeConfig, fieldConfig }) =>
              parentTypeConfig.name === 'Tag' && fieldConfig.name === 'label'
                ? async (root, args, context, info, next) => `${String(await next(root, args, context, info))}!`
                : undefined,
          }),
        ],
      }),
    ],
    query: '{ tags(sort: "id") { data { attributes { label hot } } } }',
    data: { tags: { data: [{ attributes: { label: 'red!', hot: true } }, { attributes: { label: 'blue!', hot: false } }] } },
  },
  {
    title: 'plugins: onAddOutputField sees generated fields',
    use: [
      ({ nexus }) => ({
        plugins: [
          nexus.plugin({
            name: 'describing',
            onAddOutputField: (field) => (field.name === 'hot' ? { ...field, description: 'Seen' } : field),
          }),
        ],
      }),
    ],
    query: '{ __type(name: "Tag") { fields { name description } } }',
    data: {
      __type: {
        fields: [
          { name: 'label', description: null },
          { name: 'hot', description: 'Seen' },
          { name: 'createdAt', description: null },
          { name: 'updatedAt', description: null },
        ],
      },
    },
  },
  {
    title: 'resolvers: of several extensions the later one wins, over generated ones too',
    use: [{ resolvers: { Tag: { label: () => 'first', hot: () => true } } }, { resolvers: { Tag: { label: () => 'second' } } }],
    query: '{ tags { data { attributes { label hot } } } }',
    data: { tags: { data: [1, 2].map(() => ({ attributes: { label: 'second', hot: true } })) } },
  },
  {
    title: 'resolvers: scalars, enums and unions of SDL',
    use: [
      {
        typeDefs: `
          scalar Shout
          enum Size { SMALL LARGE }
          union Thing = Cat | Dog
          type Cat { name: String }
          type Dog { bark: Shout }
          extend type Query { things: [Thing] size(of: Size): Int }
        `,
        resolvers: {
          Shout: new GraphQLScalarType({ name: 'Shout', serialize: (value) => String(value).toUpperCase() }),
          Size: { SMALL: 1, LARGE: 9 },
          Thing: { __resolveType: (thing: object) => ('bark' in thing ? 'Dog' : 'Cat') },
          Query: { things: () => [{ name: 'Tom' }, { bark: 'wau' }], size: (_: unknown, { of }: { of: number }) => of },
        },
        resolversConfig: { Query: { things: { auth: false }, size: { auth: false } } },
      },
    ],
    query: '{ size(of: LARGE) things { ... on Cat { name } ... on Dog { bark } } }',
    data: { size: 9, things: [{ name: 'Tom' }, { bark: 'WAU' }] },
  },
  {
    title: 'the registry snapshot, and the types that were generated',
    use: [
      ({ registry, typeRegistry }) => ({
        typeDefs: 'extend type Query { names: [String] }',
        resolvers: {
          Query: {
            names: () => [
              ...[...registry.types.keys()].filter((uid) => uid.startsWith('api::v')),
              String(typeRegistry.has('ArticleEntity')),
              typeRegistry.get('ArticleEntity')?.config.kind,
            ],
          },
        },
        resolversConfig: open('Query.names'),
      }),
    ],
    query: '{ names }',
    data: { names: ['api::vault.vault', 'true', 'entity'] },
  },
  {
    title: 'types that are put into the registry of types',
    use: [
      ({ nexus, typeRegistry }) => {
        const shoe = nexus.objectType({ name: 'Shoe', definition: (t) => t.int('size') });
        const sole = nexus.objectType({ name: 'Sole', definition: (t) => t.field('shoe', { type: 'Shoe' }) });
        typeRegistry.registerMany([['Shoe', shoe], ['Sole', sole]], { kind: 'shop' }); // prettier-ignore
        const named = typeRegistry.where(({ config }) => config.kind === 'shop').map(({ name }) => name);
        return {
          typeDefs: 'extend type Query { sole: Sole shop: [String] }',
          resolvers: {
            Query: {
              sole: () => ({ shoe: { size: 44 } }),
              shop: () => [
                ...named,
                String(typeRegistry.types.includes('Shoe')),
                String(typeRegistry.definitions.includes(shoe)),
                typeRegistry.toObject()['Sole']?.config.kind,
              ],
            },
          },
          resolversConfig: { ...open('Query.sole'), ...open('Query.shop') },
        };
      },
    ],
    query: '{ sole { shoe { size } } shop }',
    data: { sole: { shoe: { size: 44 } }, shop: ['Shoe', 'Sole', 'true', 'true', 'shop'] },
  },
  {
    title: 'inputs and enums of Nexus, and lists of arguments',
    use: [
      ({ nexus }) => ({
        types: [
          nexus.inputObjectType({ name: 'Box', definition: (t) => { t.nonNull.int('side'); t.field('tone', { type: 'Tone' }); } }), // prettier-ignore
          nexus.enumType({ name: 'Tone', members: { LOUD: 'loud!' } }),
          nexus.extendType({
            type: 'Query',
            definition(t) {
              t.nonNull.list.nonNull.string('pack', {
                args: { boxes: nexus.nonNull(nexus.list(nexus.nonNull('Box'))) },
                resolve: (_parent, { boxes }: { boxes: { side: number; tone: string }[] }) =>
                  boxes.map(({ side, tone }) => `${tone} ${String(side ** 3)}`),
              });
            },
          }),
          nexus.extendInputType({ type: 'PaginationArg', definition: (t) => t.int('skip') }),
        ],
        resolversConfig: open('Query.pack'),
      }),
    ],
    query:
      '{ pack(boxes: [{ side: 2, tone: LOUD }, { side: 3, tone: LOUD }]) __type(name: "PaginationArg") { inputFields { name } } }',
    data: {
      pack: ['loud! 8', 'loud! 27'],
      __type: { inputFields: ['page', 'pageSize', 'start', 'limit', 'skip'].map((name) => ({ name })) },
    },
  },
  {
    title: 'resolvers: a generated query that is taken over',
    use: [
      ({ strapi }) => ({
        resolvers: {
          Query: {
            author: {
              resolve: async (_parent: unknown, { id }: { id: string }) => ({
                value: await strapi.entityService.findOne('api::author.author', id),
              }),
            },
          },
        },
      }),
    ],
    query: '{ author(id: 1) { data { id attributes { name articles(pagination: { limit: 1 }, sort: "id") { data { id } } } } } }',
    data: { author: { data: { id: '1', attributes: { name: 'Ada', articles: { data: [{ id: '1' }] } } } } },
  },
  {
    title: 'responses of own queries: what is selected below is read for them, once for all entries',
    use: [
      ({ strapi, nexus }) => ({
        types: nexus.queryField('top', {
          type: 'ArticleEntityResponseCollection',
          args: strapi.plugin('graphql').service('builders').utils.getContentTypeArgs(strapi.contentType('api::article.article')),
          resolve: async (_parent, args) => {
            const contentType = strapi.contentType('api::article.article');
            const { transformArgs } = strapi.plugin('graphql').service('builders').utils;
            const parameters = transformArgs(args, { contentType, usePagination: true });
            const nodes = await strapi.entityService.findMany('api::article.article', { ...parameters, populate: 'categories' });
            const { toEntityResponseCollection } = strapi.service('plugin::graphql.format').returnTypes;
            return toEntityResponseCollection(nodes, { args: parameters, resourceUID: 'api::article.article' }) as never;
          },
        }),
        resolversConfig: open('Query.top'),
      }),
    ],
    query: `{ top(filters: { views: { gt: 20 } }, pagination: { page: 1, pageSize: 2 }, sort: "id") {
      data { id attributes { title author { data { attributes { name } } } categories(filters: { name: { eq: "Art" } }) { data { id } } } }
      meta { pagination { total page pageSize pageCount } } } }`,
    data: {
      top: {
        data: [
          {
            id: '3',
            attributes: {
              title: 'Article 3',
              author: { data: { attributes: { name: 'Ada' } } },
              categories: { data: [{ id: '2' }] },
            },
          },
          {
            id: '4',
            attributes: { title: 'Article 4', author: { data: { attributes: { name: 'Grace' } } }, categories: { data: [] } },
          },
        ],
        meta: { pagination: { total: 9, page: 1, pageSize: 2, pageCount: 5 } },
      },
    },
  },
  {
    title: 'one response, with its components and relations',
    use: [
      ({ strapi }) => ({
        typeDefs: 'extend type Query { first: ArticleEntityResponse }',
        resolvers: {
          Query: {
            first: async () => {
              const value = await strapi.entityService.findOne('api::article.article', 1);
              return strapi
                .plugin('graphql')
                .service('format')
                .returnTypes.toEntityResponse(value, { resourceUID: 'api::article.article' });
            },
          },
        },
        resolversConfig: open('Query.first'),
      }),
    ],
    query: '{ first { data { id attributes { seo { metaTitle } blocks { __typename } tags { data { id } } } } } }',
    data: {
      first: {
        data: {
          id: '1',
          attributes: {
            seo: { metaTitle: 'Meta' },
            blocks: [{ __typename: 'ComponentBlocksRichText' }, { __typename: 'ComponentBlocksQuote' }],
            tags: { data: [{ id: '2' }, { id: '1' }] },
          },
        },
      },
    },
  },
];

describe('use() of the extension service', () => {
  for (const { title, use, query, data, commands } of cases)
    it(title, async () => {
      const server = await serveExtended({
        register: ({ strapi }) => {
          const extension = strapi.plugin('graphql').service('extension');
          for (const extend of use) expect(extension.use(extend)).to.equal(extension);
        },
      });
      try {
        server.commands();
        const { body } = await server.query(query);
        expect(server.reported).to.deep.equal([]);
        expect(body).to.deep.equal({ data });
        if (commands !== undefined) expect(server.commands()).to.deep.equal(commands);
      } finally {
        await server.stop();
      }
    });

  const mistakes: readonly (readonly [UsedExtension, string])[] = [
    [
      { typeDefs: 'extend type Artcle { a: Int }' },
      'Cannot extend type "Artcle" because it is not defined. Did you mean "Article"',
    ],
    [{ typeDefs: 'type Query { a: Nothing }' }, 'Unknown type "Nothing"'],
    [{ resolvers: { Query: { artcles: () => 1 } } }, 'resolvers: Query has no field "artcles"; did you mean articles?'],
    [{ resolvers: { Artcle: {} } }, 'resolvers: unknown type "Artcle"; did you mean Article?'],
    [{ resolversConfig: { 'Query.articles': { policies: ['global::none'] } } }, 'Could not find policy "global::none"'],
    [
      { resolversConfig: { 'Query.articles': { middlewares: [1 as never] } } },
      'Invalid middleware type, expected (function,string,object), received number',
    ],
  ];
  for (const [extension, message] of mistakes)
    it(message, async () => {
      const server = await serveExtended({ register: ({ graphql }) => graphql.extension.use(extension) });
      try {
        expect(server.reported.map((error) => (error as Error).message).join()).to.contain(message);
        expect((await server.query('{ __typename }')).status).to.equal(503);
      } finally {
        await server.stop();
      }
    });
});

describe('keys without effect', () => {
  const ignored: readonly (readonly [UsedExtension, string])[] = [
    [{ resolver: {} } as UsedExtension, 'A GraphQL extension has no "resolver"'],
    [{ resolversConfig: { 'Query.articles': { policy: [] } as never } }, 'resolversConfig: "Query.articles" has no "policy"'],
    [{ resolversConfig: { Query: { articles: { policy: [] } as never } } }, 'resolversConfig: "Query.articles" has no "policy"'],
  ];
  for (const [extension, message] of ignored)
    it(`warns: ${message}`, async () => {
      const server = await serveExtended({ register: ({ graphql }) => graphql.extension.use(extension) });
      try {
        expect(server.lines.map((line) => (JSON.parse(line) as { msg: string }).msg).join()).to.contain(message);
        expect((await server.query('{ __typename }')).status).to.equal(200);
      } finally {
        await server.stop();
      }
    });
});

/** Parts of a command that always differ between two servers. */
const ofTheSession = new Set(['lsid', '$clusterTime', '$db', 'comment']);

describe('fields without configuration', () => {
  const query =
    '{ articles { data { attributes { title author { data { attributes { name } } } categories { data { id } } } } } }';
  let plain: ServedExtended;
  let extended: ServedExtended;
  before(async () => {
    plain = await serveExtended({ register: () => undefined });
    extended = await serveExtended({
      register: ({ graphql }) => {
        graphql.extension.use(({ nexus }) => ({ types: nexus.queryField('one', { type: 'Int', resolve: () => 1 }) }));
        graphql.extension.use({
          typeDefs: 'extend type Category { upper: String }',
          resolvers: { Category: { upper: ({ name }: { name: string }) => name.toUpperCase() } },
          resolversConfig: {
            'Article.author': { middlewares: [(next, ...args) => next(...args) as unknown] },
            'Author.name': { policies: [() => true] },
          },
        });
      },
    });
  });
  after(async () => {
    await plain.stop();
    await extended.stop();
  });

  it('keep the commands that they have without extensions, and so do configured ones', async () => {
    plain.commands();
    const expected = await plain.query(query);
    const commands = plain.commands();
    expect(commands).to.have.length.lessThan(3);
    extended.commands();
    expect((await extended.query(query)).body).to.deep.equal(expected.body);
    expect(extended.commands()).to.deep.equal(commands);
    const upper = await extended.query(query.replace('categories { data { id', 'categories { data { attributes { upper }'));
    expect(upper.body.data.articles.data[0].attributes.categories.data[0].attributes.upper).to.equal('SCIENCE');
    expect(extended.commands()).to.deep.equal(commands);
  });

  it('send the very same commands as without extensions, to the last attribute', async () => {
    // one field a request, because fields of one request share its budget, and their order is not fixed
    const untouched = [
      '{ articles(filters: { author: { name: { eq: "Ada" } } }) { data { attributes { title tags { data { attributes { label } } } } } meta { pagination { total } } } }',
      '{ authors { data { id } } }',
    ];
    const sentBy = async (server: ServedExtended): Promise<unknown[]> => {
      const sent: unknown[] = [];
      const listen = ({ command }: CommandStartedEvent) => {
        sent.push(Object.fromEntries(Object.entries(command).filter(([key]) => !ofTheSession.has(key))));
      };
      server.database.client.on('commandStarted', listen);
      for (const query of untouched) expect((await server.query(query)).body).not.to.have.property('errors');
      server.database.client.off('commandStarted', listen);
      return sent;
    };
    const sent = await sentBy(plain);
    expect(sent).to.have.length.greaterThan(1);
    expect(await sentBy(extended)).to.have.deep.members(sent);
  });
});
