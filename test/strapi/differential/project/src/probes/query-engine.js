const { attempt, fails } = require('./describe');
const { article, author, event, page, tag, user } = require('./uids');

const titles = (entries) => entries.map(({ title }) => title);

/** `strapi.db.query(uid)`. */
module.exports = {
  findOne: ({ strapi }) => strapi.db.query(article).findOne({ where: { id: 1 } }),
  'findOne-select': ({ strapi }) =>
    strapi.db.query(article).findOne({ where: { slug: 'salt' }, select: ['title', 'views'], populate: ['author', 'cover'] }),
  'findOne-populate-true': ({ strapi }) => strapi.db.query(article).findOne({ where: { id: 1 }, select: ['id'], populate: true }),
  'findOne-select-empty': ({ strapi }) => strapi.db.query(tag).findOne({ where: { id: 1 }, select: [] }),
  'findOne-no-files': ({ strapi }) =>
    strapi.db.query(article).findOne({ where: { id: 2 }, select: ['title'], populate: ['cover', 'gallery', 'tags'] }),
  'findOne-missing': ({ strapi }) => strapi.db.query(article).findOne({ where: { id: 99 } }),
  'findOne-order': ({ strapi }) => strapi.db.query(tag).findOne({ select: ['label'], orderBy: { weight: 'desc' } }),
  'findOne-offset': ({ strapi }) => strapi.db.query(tag).findOne({ select: ['label'], orderBy: 'id', offset: 1 }),
  findMany: async ({ strapi }) => titles(await strapi.db.query(article).findMany()),
  'findMany-where-list': async ({ strapi }) => titles(await strapi.db.query(article).findMany({ where: { id: [1, 3] } })),
  'findMany-where-operators': async ({ strapi }) =>
    titles(
      await strapi.db
        .query(article)
        .findMany({ where: { $and: [{ views: { $between: [1, 4] } }, { title: { $contains: 'a' } }] } }),
    ),
  'findMany-where-not': async ({ strapi }) =>
    titles(await strapi.db.query(article).findMany({ where: { $not: { slug: 'salt' } } })),
  'findMany-where-null': async ({ strapi }) => titles(await strapi.db.query(article).findMany({ where: { publishedAt: null } })),
  'findMany-where-not-null': async ({ strapi }) =>
    titles(await strapi.db.query(article).findMany({ where: { publishedAt: { $notNull: true } } })),
  'findMany-where-relation': async ({ strapi }) =>
    titles(await strapi.db.query(article).findMany({ where: { tags: { label: { $in: ['blue'] } } }, orderBy: 'id' })),
  'findMany-where-relation-id': async ({ strapi }) => titles(await strapi.db.query(article).findMany({ where: { author: 2 } })),
  'findMany-where-date': async ({ strapi }) =>
    titles(await strapi.db.query(article).findMany({ where: { at: { $lt: new Date('2020-03-01') } } })),
  'findMany-where-case': async ({ strapi }) =>
    titles(await strapi.db.query(article).findMany({ where: { title: { $eqi: 'SALT' } } })),
  'findMany-where-starts': async ({ strapi }) =>
    titles(await strapi.db.query(article).findMany({ where: { title: { $startsWith: 'P' } } })),
  'findMany-where-undefined': async ({ strapi }) =>
    fails(() => strapi.db.query(article).findMany({ where: { title: undefined } })),
  'findMany-component': async ({ strapi }) =>
    titles(await strapi.db.query(article).findMany({ where: { quotes: { stars: 5 } } })),
  'findMany-order-list': async ({ strapi }) =>
    titles(await strapi.db.query(article).findMany({ orderBy: [{ kind: 'asc' }, { views: 'desc' }] })),
  'findMany-order-relation': async ({ strapi }) =>
    titles(await strapi.db.query(article).findMany({ orderBy: { author: { name: 'desc' } } })),
  'findMany-limit': async ({ strapi }) =>
    titles(await strapi.db.query(article).findMany({ limit: 1, offset: 1, orderBy: { id: 'asc' } })),
  'findMany-limit-zero': async ({ strapi }) => (await strapi.db.query(article).findMany({ limit: 0 })).length,
  'findMany-locales': async ({ strapi }) => (await strapi.db.query(page).findMany({ orderBy: 'id' })).map(({ locale }) => locale),
  'findMany-search': async ({ strapi }) => titles(await strapi.db.query(article).findMany({ _q: 'SAL' })),
  'findMany-populate-where': ({ strapi }) =>
    strapi.db.query(author).findMany({
      select: ['name'],
      orderBy: 'id',
      populate: { articles: { select: ['title'], where: { views: { $gt: 1 } }, orderBy: { views: 'desc' } } },
    }),
  'findMany-populate-limit': ({ strapi }) =>
    strapi.db
      .query(author)
      .findOne({ where: { id: 1 }, select: ['name'], populate: { articles: { select: ['title'], limit: 1, offset: 1 } } }),
  'findMany-populate-count': ({ strapi }) =>
    strapi.db.query(tag).findMany({ select: ['label'], populate: { articles: { count: true } }, orderBy: 'id' }),
  findWithCount: async ({ strapi }) => {
    const [entries, total] = await strapi.db.query(article).findWithCount({ limit: 1, orderBy: 'id' });
    return [titles(entries), total];
  },
  findPage: async ({ strapi }) => {
    const { results, pagination } = await strapi.db.query(article).findPage({ page: 2, pageSize: 2, orderBy: 'id' });
    return { titles: titles(results), pagination };
  },
  count: ({ strapi }) => strapi.db.query(article).count({ where: { views: { $gte: 3 } } }),
  'count-all': ({ strapi }) => strapi.query(article).count(),
  'count-limit': ({ strapi }) => strapi.query(article).count({ where: { author: { name: 'Ann' } } }),
  create: ({ strapi }) => strapi.db.query(tag).create({ data: { label: 'green' } }),
  'create-select': ({ strapi }) =>
    strapi.db.query(article).create({
      data: { title: 'Made', author: 1, tags: [3] },
      select: ['title'],
      populate: { author: { select: ['name'] }, tags: true },
    }),
  'create-published': async ({ strapi }) => {
    const { publishedAt } = await strapi.db
      .query(article)
      .create({ data: { title: 'Made', publishedAt: new Date('2021-01-01') } });
    return publishedAt;
  },
  'create-without-required': ({ strapi }) => strapi.db.query(author).create({ data: { email: 'x@example.org' } }),
  'create-unknown-attribute': ({ strapi }) =>
    strapi.db.query(tag).create({ data: { label: 'grey', nothing: 1 }, select: ['label'] }),
  'create-no-data': ({ strapi }) => fails(() => strapi.db.query(tag).create({})),
  'create-dates': ({ strapi }) =>
    strapi.db.query(article).create({
      data: { title: 'dates', day: new Date('2020-01-02'), at: '2020-01-02T03:04:05Z', hour: '03:04:05.000' },
      select: ['day', 'at', 'hour'],
    }),
  createMany: async ({ strapi }) => {
    const { count } = await strapi.db.query(tag).createMany({ data: [{ label: 'a' }, { label: 'b' }] });
    return { count, total: await strapi.db.query(tag).count() };
  },
  'createMany-empty': ({ strapi }) => fails(() => strapi.db.query(tag).createMany({ data: [] })),
  update: ({ strapi }) => strapi.db.query(tag).update({ where: { label: 'red' }, data: { weight: 8 } }),
  'update-missing': ({ strapi }) => strapi.db.query(tag).update({ where: { label: 'none' }, data: { weight: 8 } }),
  'update-no-where': ({ strapi }) => attempt(() => strapi.db.query(tag).update({ data: { weight: 8 } })),
  'update-null': ({ strapi }) =>
    strapi.db.query(article).update({ where: { id: 1 }, data: { extra: null, day: null }, select: ['title', 'extra', 'day'] }),
  'update-undefined': ({ strapi }) =>
    strapi.db.query(tag).update({ where: { id: 1 }, data: { weight: undefined, label: 'crimson' } }),
  'update-component': ({ strapi }) =>
    strapi.db.query(event).update({ where: { id: 1 }, data: { count: 10, trail: 'x' }, populate: ['quote', 'tag'] }),
  updateMany: async ({ strapi }) => [
    await strapi.db.query(tag).updateMany({ where: { weight: { $gt: 1 } }, data: { weight: 0 } }),
    (await strapi.db.query(tag).findMany({ orderBy: 'id' })).map(({ weight }) => weight),
  ],
  'updateMany-none': ({ strapi }) => strapi.db.query(tag).updateMany({ where: { weight: 99 }, data: { weight: 0 } }),
  'updateMany-updated-at': async ({ strapi }) => {
    const before = await strapi.db.query(tag).findOne({ where: { id: 1 } });
    await strapi.db.query(tag).updateMany({ where: { id: 1 }, data: { weight: 0 } });
    const after = await strapi.db.query(tag).findOne({ where: { id: 1 } });
    return after.createdAt === before.createdAt;
  },
  delete: async ({ strapi }) => [await strapi.db.query(tag).delete({ where: { id: 1 } }), await strapi.db.query(tag).count()],
  'delete-missing': ({ strapi }) => strapi.db.query(tag).delete({ where: { id: 99 } }),
  'delete-no-where': ({ strapi }) => attempt(() => strapi.db.query(tag).delete({})),
  'delete-relations': async ({ strapi }) => {
    await strapi.db.query(author).delete({ where: { id: 1 } });
    return strapi.db.query(article).findMany({ select: ['title'], populate: { author: true }, orderBy: 'id' });
  },
  deleteMany: async ({ strapi }) => [
    await strapi.db.query(tag).deleteMany({ where: { label: ['red', 'blue'] } }),
    await strapi.db.query(tag).count(),
  ],
  'deleteMany-all': async ({ strapi }) => [await strapi.db.query(event).deleteMany(), await strapi.db.query(event).count()],
  load: ({ strapi }) => strapi.db.query(article).load({ id: 1 }, 'author', { select: ['name'] }),
  'load-many': ({ strapi }) => strapi.db.query(article).load({ id: 1 }, 'tags'),
  populate: async ({ strapi }) =>
    await strapi.db.query(article).populate({ id: 1, title: 'kept' }, { author: { select: ['name'] } }),
  'user-private': async ({ strapi }) => {
    const found = await strapi.db.query(user).findOne({ where: { id: 1 }, populate: ['role'] });
    return { ...found, password: typeof found.password, role: found.role.type };
  },
  'entity-manager': async ({ strapi }) => titles(await strapi.db.entityManager.findMany(article, { where: { id: 1 } })),
};
