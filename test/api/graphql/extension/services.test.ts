import { expect } from 'chai';
import { isObjectType } from 'graphql';
import type { Strapi } from '#index.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import { models } from '../content.js';
import { typeOf } from '../../../support/things.js';
import { granted, serveExtended, type ServedExtended } from './serve-extended.js';

const { registry } = buildRegistry(models);
const article = typeOf('api::article.article', registry);
const page = typeOf('api::page.page', registry);

describe('services for custom resolvers', () => {
  let server: ServedExtended;
  let strapi: Strapi;
  before(async () => {
    server = await serveExtended({
      access: granted(),
      register: (input) => {
        strapi = input.strapi;
        input.graphql.extension.use(({ nexus }) => {
          const { getContentTypeArgs } = strapi.plugin('graphql').service('builders').utils;
          const field = (name: string, args: ReturnType<typeof getContentTypeArgs>) =>
            nexus.queryField(name, { type: 'Int', args, resolve: () => 1 });
          return {
            types: [field('many', getContentTypeArgs(page)), field('one', getContentTypeArgs(page, { multiple: false }))],
            typeDefs: 'extend type Mutation { touch(id: ID!): ArticleEntityResponse }',
            resolvers: {
              Mutation: {
                touch: async (_parent, { id }: { id: string }) => {
                  const builder = strapi.plugin('graphql').service('builders').get('content-api');
                  const { update } = builder.buildMutationsResolvers({ contentType: article });
                  const entity = await update(null, { id, data: { summary: 'touched' } });
                  return strapi.service('plugin::graphql.format').returnTypes.toEntityResponse(entity);
                },
              },
            },
            resolversConfig: { 'Mutation.touch': { auth: false } },
          };
        });
      },
    });
  });
  after(() => server.stop());

  it('getContentTypeArgs returns the arguments of generated fields', async () => {
    const query = (await server.current.read()).schema.getType('Query');
    if (!isObjectType(query)) throw new Error('no Query');
    const argsOf = (name: string) => query.getFields()[name]?.args.map((arg) => `${arg.name}: ${String(arg.type)}`);
    expect(argsOf('many')).to.have.members(argsOf('pages') ?? []);
    expect(argsOf('one')).to.have.members(argsOf('page') ?? []);
  });

  it('transformArgs turns GraphQL arguments into parameters', () => {
    const { transformArgs } = strapi.plugin('graphql').service('builders').utils;
    const args = {
      filters: { title: { contains: 'a' }, not: { id: { in: [1] } } },
      pagination: { page: 3, pageSize: 5 },
      sort: ['id'],
    };
    const filters = { title: { $contains: 'a' }, $not: { id: { $in: [1] } } };
    expect(transformArgs(args, { contentType: article, usePagination: true })).to.deep.equal({
      filters,
      sort: ['id'],
      start: 10,
      limit: 5,
    });
    expect(transformArgs(args, { contentType: article })).to.deep.equal({ filters, sort: ['id'], pagination: args.pagination });
  });

  it('a public mutation calls the functions behind generated fields for callers without rights', async () => {
    const { body } = await server.query('mutation { touch(id: 2) { data { id attributes { summary } } } }');
    expect(body).to.deep.equal({ data: { touch: { data: { id: '2', attributes: { summary: 'touched' } } } } });
    const { find, findOne } = strapi
      .plugin('graphql')
      .service('builders')
      .get('content-api')
      .buildQueriesResolvers({ contentType: article });
    expect((await find(null, { filters: { summary: { eq: 'touched' } } })).map(({ id }) => id)).to.deep.equal([2]);
    expect(await findOne(null, { id: '2' })).to.include({ summary: 'touched' });
  });

  it('find of a generated list takes what transformArgs returns, and parameters of the entity service', async () => {
    const builders = strapi.plugin('graphql').service('builders');
    const { find } = builders.get('content-api').buildQueriesResolvers({ contentType: article });
    const ids = async (args: object) => (await find(null, { sort: 'id', ...args })).map(({ id }) => Number(id));
    const transformed = (args: object) =>
      builders.utils.transformArgs({ ...args }, { contentType: article, usePagination: true });
    const all = await ids({});
    expect(all.length).to.be.above(10); // more than a page of GraphQL
    const cases: readonly (readonly [args: object, expected: readonly number[]])[] = [
      [transformed({ filters: { id: { in: [1, 3] } } }), [1, 3]],
      [transformed({ filters: { or: [{ id: { eq: 1 } }, { not: { id: { gt: 2 } } }] } }), [1, 2]],
      [transformed({ pagination: { start: 1, limit: 2 } }), all.slice(1, 3)],
      [transformed({ pagination: { page: 2, pageSize: 3 } }), all.slice(3, 6)],
      [{ filters: { id: { $in: [2] } } }, [2]],
      [{ filters: { id: 2 } }, [2]],
      [{ start: 2, limit: 1 }, all.slice(2, 3)],
      [{ pagination: { start: 1, limit: 2 } }, all.slice(1, 3)],
      [{ pagination: {} }, all.slice(0, 10)],
    ];
    for (const [args, expected] of cases) expect(await ids(args), JSON.stringify(args)).to.deep.equal(expected);
    const ofAuthor = await ids({ filters: { author: { id: { $eq: 1 } } } });
    expect(ofAuthor.length).to.be.within(1, all.length - 1);
    for (const author of [1, [1], { id: { eq: 1 } }, { id: 1 }])
      expect(await ids({ filters: { author } })).to.deep.equal(ofAuthor);
  });

  it('naming returns the names of generated types and fields', () => {
    const { naming } = strapi.plugin('graphql').service('utils');
    const names = [
      ...[naming.getTypeName(article), naming.getEntityName(article), naming.getEntityResponseName(article)],
      ...[naming.getEntityResponseCollectionName(article), naming.getRelationResponseCollectionName(article)],
      ...[naming.getContentTypeInputName(article), naming.getFiltersInputTypeName(article), naming.getFindQueryName(article)],
      ...[
        naming.getFindOneQueryName(article),
        naming.getCreateMutationTypeName(article),
        naming.getDynamicZoneName(article, 'blocks'),
      ],
      ...[naming.getEnumName(article, 'status'), naming.getScalarFilterInputTypeName('String')],
      ...[
        naming.getEntityMetaName(article),
        naming.getEntityQueriesTypeName(article),
        naming.getEntityMutationsTypeName(article),
      ],
      ...[naming.getMorphRelationTypeName(article, 'blocks'), naming.getComponentNameFromAttribute({ component: 'shared.seo' })],
      ...[{}, { plurality: 'plural', firstLetterCase: 'lower' }, { prefix: 'my', suffix: 's' }].map((options) =>
        naming.buildCustomTypeNameGenerator(options as object)(article),
      ),
    ];
    expect(names).to.deep.equal([
      ...['Article', 'ArticleEntity', 'ArticleEntityResponse', 'ArticleEntityResponseCollection'],
      ...['ArticleRelationResponseCollection', 'ArticleInput', 'ArticleFiltersInput', 'articles', 'article', 'createArticle'],
      ...['ArticleBlocksDynamicZone', 'ENUM_ARTICLE_STATUS', 'StringFilterInput'],
      ...['ArticleEntityMeta', 'ArticleEntityQueries', 'ArticleEntityMutations', 'ArticleBlocksMorph', 'ComponentSharedSeo'],
      ...['Article', 'articles', 'myArticles'],
    ]);
    expect(() => naming.buildCustomTypeNameGenerator({ plurality: 'many' as 'plural' })).to.throw('"plurality" must be');
  });

  it('content types are found by uid', () => {
    expect(strapi.contentTypes['api::article.article']).to.equal(strapi.contentType('api::article.article'));
    expect(strapi.contentTypes['api::article.article']?.singularName).to.equal('article');
  });

  it('unknown services, plugins and content types are refused with the nearest name', () => {
    expect(() => strapi.plugin('graphql').service('extensions' as 'extension')).to.throw('did you mean extension?');
    expect(() => strapi.plugin('i18n' as 'graphql').service('extension')).to.throw('Unknown plugin "i18n"');
    expect(() => strapi.service('api::article.article' as 'plugin::graphql.format')).to.throw('strapi.entityService');
    expect(() => strapi.contentType('api::article.artcle')).to.throw('did you mean api::article.article?');
  });
});
