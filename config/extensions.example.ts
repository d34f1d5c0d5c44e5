import {
  PolicyError,
  type Entity,
  type Extension,
  type ExtensionInput,
  type MiddlewareFactory,
  type Policy,
  type Register,
  type Strapi,
} from 'mangrove';

// Copy this file to config/extensions.ts: it shapes the GraphQL schema of the demo magazine.

// Policies and middlewares that are exported here have names: `global::reads-politely`.
export const policies: Readonly<Record<string, Policy>> = {
  'reads-politely': ({ args }, { most }: { readonly most: number }) => {
    if (Number(args.pagination?.limit ?? 0) > most) throw new PolicyError(`At most ${String(most)} articles at once`, { most });
    return true;
  },
};

// Logs how long a field takes, in nested fields once for each entry.
const timed: MiddlewareFactory = (_options, { strapi }) => {
  return async (next, parent, args, context, info) => {
    const start = performance.now();
    const value: unknown = await next(parent, args, context, info);
    strapi.log.info({ field: `${info.parentType.name}.${info.fieldName}`, milliseconds: performance.now() - start }, 'resolved');
    return value;
  };
};
export const middlewares = { timed };

export const register: Register = ({ strapi }) => {
  const extension = strapi.plugin('graphql').service('extension');

  // Comments are written by the mutation below alone, and nobody reads the addresses of authors.
  extension.shadowCRUD('api::comment.comment').disableActions(['create', 'update', 'delete']);
  extension.shadowCRUD('api::author.author').field('email').disable();

  extension.use(magazineQueries(strapi));
  extension.use(magazineFigures);
};

// SDL: a computed field, a query, and a mutation for everybody.
const magazineQueries = (strapi: Strapi): Extension => ({
  typeDefs: `
      extend type Article {
        "Characters of the summary"
        summaryLength: Int!
      }
      extend type Query {
        longestReads(count: Int = 3): ArticleEntityResponseCollection
      }
      extend type Mutation {
        sendComment(article: ID!, name: String!, text: String!): CommentEntityResponse
      }
    `,
  resolvers: magazineResolvers(strapi),
  resolversConfig: {
    'Query.articles': { policies: [{ name: 'global::reads-politely', config: { most: 50 } }] },
    'Query.longestReads': { auth: { scope: ['api::article.article.find'] } },
    'Mutation.sendComment': { auth: false },
    'Article.author': { middlewares: ['global::timed'] },
  },
});

const magazineResolvers = (strapi: Strapi): NonNullable<Extension['resolvers']> => ({
  Article: { summaryLength: (article: Entity) => String(article['summary'] ?? '').length },
  Query: {
    longestReads: async (_parent, { count }: { readonly count: number }) => {
      const args = { sort: 'readingTime:desc', publicationState: 'live', start: 0, limit: Math.min(count, 10) };
      const articles = await strapi.entityService.findMany('api::article.article', args);
      const { toEntityResponseCollection } = strapi.plugin('graphql').service('format').returnTypes;
      return toEntityResponseCollection(articles, { args, resourceUID: 'api::article.article' });
    },
  },
  Mutation: {
    sendComment: async (_parent, { article, name, text }: Readonly<Record<'article' | 'name' | 'text', string>>) => {
      const data = { article: Number(article), authorName: name, text, approved: false };
      const comment = await strapi.entityService.create('api::comment.comment', { data });
      return strapi.plugin('graphql').service('format').returnTypes.toEntityResponse(comment);
    },
  },
});

// Nexus: a type of its own.
const magazineFigures = ({ nexus, strapi }: ExtensionInput): Extension => ({
  types: [
    nexus.objectType({
      name: 'MagazineFigures',
      definition: (t) => {
        t.nonNull.int('articles');
        t.nonNull.int('authors');
      },
    }),
    nexus.queryField('magazineFigures', {
      type: 'MagazineFigures',
      resolve: async () => ({
        articles: await strapi.entityService.count('api::article.article', { publicationState: 'live', locale: 'all' }),
        authors: await strapi.entityService.count('api::author.author'),
      }),
    }),
  ],
  resolversConfig: { 'Query.magazineFigures': { auth: false } },
});
