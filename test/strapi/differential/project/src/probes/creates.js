const { attempt, described } = require('./describe');
const { article, author } = require('./uids');

/** Names that hooks are given besides what the data of a create have, which differ by the way of the create. */
const stamps = ['createdAt', 'updatedAt', 'publishedAt'];

/** Returns the data that hooks are given before a create, and the entry that was stored. */
async function seen(strapi, create, change = () => undefined) {
  const data = [];
  const end = strapi.db.lifecycles.subscribe({
    models: [article],
    beforeCreate: (event) => {
      change(event.params.data);
      const names = Object.entries(event.params.data).filter(([name]) => !stamps.includes(name));
      data.push(described(Object.fromEntries(names)));
    },
  });
  const made = await attempt(create);
  end();
  return [data, described(made?.error ? made : { views: made.views, featured: made.featured, rating: made.rating })];
}

const service = (strapi, data, change) => seen(strapi, () => strapi.entityService.create(article, { data }), change);

/** What code before a create sees of the entry, and what its changes do. */
module.exports = {
  defaults: ({ strapi }) => service(strapi, { title: 'x' }),
  'defaults-query': ({ strapi }) => seen(strapi, () => strapi.db.query(article).create({ data: { title: 'x' } })),
  'defaults-core-service': ({ strapi }) => seen(strapi, () => strapi.service(article).create({ data: { title: 'x' } })),
  'defaults-null': ({ strapi }) => service(strapi, { title: 'x', views: null, featured: null }),
  'default-added-to': ({ strapi }) => service(strapi, { title: 'x' }, (data) => void (data.views += 10)),
  'default-removed': ({ strapi }) => service(strapi, { title: 'x' }, (data) => void delete data.views),
  'default-in-condition': ({ strapi }) => service(strapi, { title: 'x' }, (data) => void (data.rating = data.featured ? 1 : 2)),
  'list-length': ({ strapi }) =>
    service(strapi, { title: 'x' }, (data) => void (data.rating = data.quotes.length + data.blocks.length)),
  casts: ({ strapi }) => service(strapi, { title: 'x', views: '7', rating: '1.5', featured: 'true', kind: 'news' }),
  'casts-query': ({ strapi }) =>
    seen(strapi, () => strapi.db.query(article).create({ data: { title: 'x', views: '7', rating: '1.5' } })),
  relations: ({ strapi }) => service(strapi, { title: 'x', author: 1, tags: { connect: [1] } }),
  invalid: ({ strapi }) => service(strapi, { views: 1 }),
  'update-casts': async ({ strapi }) => {
    const data = [];
    const end = strapi.db.lifecycles.subscribe({
      models: [article],
      beforeUpdate: (event) => void data.push(described({ ...event.params.data, updatedAt: undefined })),
    });
    await strapi.entityService.update(article, 1, { data: { views: '8', featured: '0' } });
    end();
    return data;
  },
  'author-missing': ({ strapi }) => attempt(() => strapi.entityService.create(author, { data: { name: null } })),
};
