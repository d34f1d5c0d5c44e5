const { attempt } = require('./describe');
const { article, author, setting, tag } = require('./uids');

/** Services and controllers of the project, generated and own. */
module.exports = {
  'generated-find': async ({ strapi }) => {
    const { results, pagination } = await strapi.service(article).find({ fields: ['title'], sort: 'title' });
    return { results, pagination };
  },
  'generated-find-page': async ({ strapi }) =>
    (await strapi.service(tag).find({ pagination: { page: 2, pageSize: 2 }, sort: 'id' })).pagination,
  'generated-find-start': async ({ strapi }) =>
    (await strapi.service(tag).find({ pagination: { start: 1, limit: 1 }, sort: 'id' })).pagination,
  'generated-find-no-count': async ({ strapi }) =>
    (await strapi.service(tag).find({ pagination: { withCount: false } })).pagination,
  'generated-findOne': ({ strapi }) => strapi.service(tag).findOne(1),
  'generated-findOne-no-files': ({ strapi }) =>
    strapi.service(article).findOne(2, { fields: ['title'], populate: ['cover', 'gallery'] }),
  'generated-findOne-draft': ({ strapi }) => strapi.service(article).findOne(3),
  'generated-create': ({ strapi }) => strapi.service(tag).create({ data: { label: 'made' } }),
  'generated-create-published': async ({ strapi }) => {
    const { publishedAt } = await strapi.service(article).create({ data: { title: 'made' } });
    return publishedAt !== null;
  },
  'generated-create-draft': async ({ strapi }) =>
    (await strapi.service(article).create({ data: { title: 'made', publishedAt: null } })).publishedAt,
  'generated-update': ({ strapi }) => strapi.service(tag).update(1, { data: { weight: 4 } }),
  'generated-delete': ({ strapi }) => strapi.service(tag).delete(1),
  'single-find': ({ strapi }) => strapi.service(setting).find({ populate: 'seo' }),
  'single-createOrUpdate': ({ strapi }) => strapi.service(setting).createOrUpdate({ data: { siteName: 'Pantry' } }),
  'single-delete': async ({ strapi }) => (await strapi.service(setting).delete()).siteName,
  'overridden-find': async ({ strapi }) => (await strapi.service(author).find({ sort: 'id' })).results.map(({ name }) => name),
  'overridden-create': async ({ strapi }) => (await strapi.service(author).create({ data: { name: 'Eve' } })).name,
  'added-method': ({ strapi }) => strapi.service(author).countOf(),
  'own-service': ({ strapi }) => [strapi.service('api::probe.probe').greet('Ann'), strapi.service('api::probe.probe').model()],
  'service-list': ({ strapi }) =>
    Object.keys(strapi.services)
      .filter((uid) => uid.startsWith('api::'))
      .sort(),
  'service-missing': ({ strapi }) => attempt(() => strapi.service('api::nothing.nothing')),
  'get-fetch-params': ({ strapi }) => strapi.service(tag).getFetchParams({ fields: ['label'] }),
  controller: ({ strapi }) => Object.keys(strapi.controller(article)).sort(),
  'controller-action': async ({ strapi, ctx }) => {
    ctx.params = { id: 1 };
    ctx.query = { fields: ['label'] };
    return strapi.controller(tag).findOne(ctx, () => undefined);
  },
  'api-services': ({ strapi }) => Object.keys(strapi.api.author.services),
  'api-content-types': ({ strapi }) => Object.keys(strapi.api.article.contentTypes),
};
