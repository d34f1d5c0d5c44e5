const { attempt, fails } = require('./describe');
const { article, author, event, page, setting, tag } = require('./uids');

const titles = (entries) => entries.map(({ title }) => title);

/** `strapi.entityService`. */
module.exports = {
  findOne: ({ strapi }) => strapi.entityService.findOne(article, 1),
  'findOne-populated': ({ strapi }) => strapi.entityService.findOne(article, 1, { populate: '*' }),
  'findOne-deep': ({ strapi }) =>
    strapi.entityService.findOne(article, 1, {
      fields: ['title'],
      populate: {
        author: { fields: ['name'], populate: { articles: { fields: ['title'], sort: 'title:desc' } } },
        quotes: { populate: 'seo' },
      },
    }),
  'findOne-fields': ({ strapi }) => strapi.entityService.findOne(article, 1, { fields: ['title', 'secret'] }),
  'findOne-no-files': ({ strapi }) =>
    strapi.entityService.findOne(article, 2, { fields: ['title'], populate: ['cover', 'gallery'] }),
  'update-no-files': ({ strapi }) =>
    strapi.entityService.update(article, 1, { data: { gallery: [] }, fields: ['title'], populate: ['gallery'] }),
  'findOne-missing': ({ strapi }) => strapi.entityService.findOne(article, 99),
  'findOne-text-id': ({ strapi }) => strapi.entityService.findOne(tag, '2'),
  'findOne-publication-state': ({ strapi }) =>
    strapi.entityService.findOne(article, 3, { publicationState: 'live', fields: ['title'] }),
  'findMany-all': async ({ strapi }) => titles(await strapi.entityService.findMany(article)),
  'findMany-live': async ({ strapi }) => titles(await strapi.entityService.findMany(article, { publicationState: 'live' })),
  'findMany-preview': async ({ strapi }) => titles(await strapi.entityService.findMany(article, { publicationState: 'preview' })),
  'findMany-filters': async ({ strapi }) =>
    titles(
      await strapi.entityService.findMany(article, {
        filters: { $or: [{ views: { $gt: 5 } }, { author: { name: 'Ann' } }] },
        sort: { title: 'asc' },
      }),
    ),
  'findMany-sort-list': async ({ strapi }) =>
    titles(await strapi.entityService.findMany(article, { sort: ['author.name:desc', 'title:desc'] })),
  'findMany-start-limit': async ({ strapi }) =>
    titles(await strapi.entityService.findMany(article, { start: 1, limit: 1, sort: 'id' })),
  'findMany-limit-all': async ({ strapi }) => (await strapi.entityService.findMany(article, { limit: -1 })).length,
  'findMany-page': async ({ strapi }) =>
    titles(await strapi.entityService.findMany(article, { page: 2, pageSize: 2, sort: 'id' })),
  'findMany-pagination': async ({ strapi }) =>
    titles(await strapi.entityService.findMany(article, { pagination: { page: 2, pageSize: 1 }, sort: 'id' })),
  'findMany-search': async ({ strapi }) => titles(await strapi.entityService.findMany(article, { _q: 'epp' })),
  'findMany-populate-filters': ({ strapi }) =>
    strapi.entityService.findMany(article, {
      fields: ['title'],
      populate: { tags: { fields: ['label'], filters: { label: 'blue' } } },
      sort: 'id',
    }),
  'findMany-populate-count': ({ strapi }) =>
    strapi.entityService.findMany(author, { fields: ['name'], populate: { articles: { count: true } }, sort: 'id' }),
  'findMany-single-type': ({ strapi }) => strapi.entityService.findMany(setting, { populate: 'seo' }),
  'findMany-locale': async ({ strapi }) => titles(await strapi.entityService.findMany(page, { locale: 'fr' })),
  'findMany-locale-all': async ({ strapi }) => titles(await strapi.entityService.findMany(page, { locale: 'all', sort: 'id' })),
  'findMany-localizations': ({ strapi }) =>
    strapi.entityService.findMany(page, {
      locale: 'fr',
      fields: ['title', 'locale'],
      populate: { localizations: { fields: ['title', 'locale'] } },
    }),
  'findMany-unknown-filter': ({ strapi }) => fails(() => strapi.entityService.findMany(article, { filters: { nothing: 1 } })),
  'findMany-unknown-type': ({ strapi }) => fails(() => strapi.entityService.findMany('api::nothing.nothing')),
  'findMany-dynamic-zone': ({ strapi }) =>
    strapi.entityService.findMany(article, { filters: { id: 1 }, fields: ['title'], populate: { blocks: { populate: '*' } } }),
  'findMany-zone-on': ({ strapi }) =>
    strapi.entityService.findMany(article, {
      filters: { id: 1 },
      fields: ['title'],
      populate: { blocks: { on: { 'shared.quote': { fields: ['text'] } } } },
    }),
  findPage: async ({ strapi }) => {
    const { results, pagination } = await strapi.entityService.findPage(article, { page: 1, pageSize: 2, sort: 'title' });
    return { titles: titles(results), pagination };
  },
  count: ({ strapi }) => strapi.entityService.count(article),
  'count-filters': ({ strapi }) => strapi.entityService.count(article, { filters: { author: { id: 1 } } }),
  create: ({ strapi }) => strapi.entityService.create(tag, { data: { label: 'green', weight: 5 } }),
  'create-defaults': ({ strapi }) => strapi.entityService.create(article, { data: { title: 'Fresh one' } }),
  'create-populated': ({ strapi }) =>
    strapi.entityService.create(article, {
      data: { title: 'New', author: { connect: [{ id: 2 }] }, tags: { set: [1, 3] }, seo: { metaTitle: 'x' } },
      fields: ['title', 'slug'],
      populate: { author: { fields: ['name'] }, tags: { fields: ['label'] }, seo: true },
    }),
  'create-invalid': ({ strapi }) =>
    attempt(() => strapi.entityService.create(author, { data: { name: 'a name that is far too long', email: 'no' } })),
  'create-required': ({ strapi }) => attempt(() => strapi.entityService.create(author, { data: {} })),
  'create-unique': ({ strapi }) => attempt(() => strapi.entityService.create(tag, { data: { label: 'red' } })),
  'create-uid-taken': ({ strapi }) =>
    attempt(() => strapi.entityService.create(article, { data: { title: 'Salt', slug: 'salt' } })),
  'create-draft-lenient': ({ strapi }) => strapi.entityService.create(article, { data: { seo: {} }, populate: 'seo' }),
  'create-unknown-attribute': ({ strapi }) => strapi.entityService.create(tag, { data: { label: 'plain', nothing: true } }),
  'create-wrong-enum': ({ strapi }) =>
    attempt(() => strapi.entityService.create(article, { data: { title: 'x', kind: 'poem' } })),
  'create-missing-relation': ({ strapi }) =>
    attempt(() => strapi.entityService.create(article, { data: { title: 'x', author: 99 } })),
  'create-casts': ({ strapi }) =>
    strapi.entityService.create(article, {
      data: { title: 'x', views: '12', rating: '1.5', featured: 'true' },
      fields: ['title', 'views', 'rating', 'featured'],
    }),
  update: ({ strapi }) => strapi.entityService.update(tag, 1, { data: { weight: 10 } }),
  'update-missing': ({ strapi }) => strapi.entityService.update(tag, 99, { data: { weight: 10 } }),
  'update-relations': ({ strapi }) =>
    strapi.entityService.update(article, 1, {
      data: { tags: { connect: [3], disconnect: [{ id: 1 }] }, author: null },
      fields: ['title'],
      populate: { tags: { fields: ['label'] }, author: true },
    }),
  'update-order': ({ strapi }) =>
    strapi.entityService.update(article, 1, {
      data: { tags: { connect: [{ id: 3, position: { before: 1 } }] } },
      fields: ['title'],
      populate: { tags: { fields: ['label'] } },
    }),
  'update-components': async ({ strapi }) => {
    const { quotes } = await strapi.entityService.findOne(article, 1, { populate: 'quotes' });
    const data = { quotes: [{ id: quotes[1].id, stars: 3 }, { text: 'new' }], seo: null };
    return strapi.entityService.update(article, 1, { data, fields: ['title'], populate: ['quotes', 'seo'] });
  },
  'update-zone': ({ strapi }) =>
    strapi.entityService.update(article, 1, {
      data: { blocks: [{ __component: 'shared.seo', metaTitle: 'only' }] },
      fields: ['title'],
      populate: 'blocks',
    }),
  'update-publish': async ({ strapi }) => {
    const entry = await strapi.entityService.update(article, 3, { data: { publishedAt: '2021-01-01T00:00:00.000Z' } });
    return entry.publishedAt;
  },
  'update-invalid': ({ strapi }) => attempt(() => strapi.entityService.update(article, 1, { data: { views: -1 } })),
  'update-unique': ({ strapi }) => attempt(() => strapi.entityService.update(tag, 1, { data: { label: 'blue' } })),
  'update-media': ({ strapi }) =>
    strapi.entityService.update(article, 2, {
      data: { cover: 1 },
      fields: ['title'],
      populate: { cover: { fields: ['name', 'mime', 'alternativeText'] } },
    }),
  delete: async ({ strapi }) => [await strapi.entityService.delete(tag, 3), await strapi.entityService.count(tag)],
  'delete-missing': ({ strapi }) => strapi.entityService.delete(tag, 99),
  'delete-populated': ({ strapi }) =>
    strapi.entityService.delete(event, 1, { fields: ['title'], populate: { tag: { fields: ['label'] } } }),
  deleteMany: async ({ strapi }) => [
    await strapi.entityService.deleteMany(event, { filters: { count: { $gte: 2 } } }),
    await strapi.entityService.count(event),
  ],
  load: ({ strapi }) => strapi.entityService.load(article, { id: 1 }, 'tags', { sort: 'label:desc' }),
  'load-one': ({ strapi }) => strapi.entityService.load(article, { id: 1 }, 'author'),
};
