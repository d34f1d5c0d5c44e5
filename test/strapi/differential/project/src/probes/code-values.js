const { described, fails } = require('./describe');
const { article, event, tag } = require('./uids');

/** An instant as libraries of dates have it. */
class Moment {
  toJSON() {
    return '2021-05-05T10:20:30.000Z';
  }
  valueOf() {
    return Date.parse(this.toJSON());
  }
}

/** A number as libraries of numbers have it. */
class Amount {
  toJSON() {
    return '5.5';
  }
  valueOf() {
    return '5.5';
  }
}

const odd = () => ({
  url: new URL('http://x.y/'),
  moment: new Moment(),
  amount: new Amount(),
  never: new Date(NaN),
  date: new Date(0),
  list: ['a', () => 1, 'c', undefined, NaN],
  map: new Map([[1, 2]]),
  set: new Set([1]),
  nothing: undefined,
  symbol: Symbol('s'),
  pattern: /x/,
  boxed: [new Number(1), new String('s'), new Boolean(false)],
  bytes: Buffer.from('ab'),
});

const extraOf = async (strapi, id) => described((await strapi.db.query(article).findOne({ where: { id } })).extra);

const store = (strapi) => strapi.store({ type: 'plugin', name: 'probes', key: 'odd' });

const create = (strapi, data) => strapi.entityService.create(article, { data: { title: 'x', ...data } });

/** Values of code that JSON does not have, in JSON attributes and in the store. */
module.exports = {
  'create-json': async ({ strapi }) => extraOf(strapi, (await create(strapi, { extra: odd() })).id),
  'create-json-list': async ({ strapi }) => extraOf(strapi, (await create(strapi, { extra: [new Moment(), undefined] })).id),
  'create-json-moment': async ({ strapi }) => extraOf(strapi, (await create(strapi, { extra: new Moment() })).id),
  'update-json': async ({ strapi }) => {
    await strapi.entityService.update(article, 1, { data: { extra: odd() } });
    return extraOf(strapi, 1);
  },
  'query-create-json': async ({ strapi }) =>
    extraOf(strapi, (await strapi.db.query(article).create({ data: { title: 'x', extra: odd() } })).id),
  'createMany-json': async ({ strapi }) => {
    const { ids } = await strapi.db.query(article).createMany({ data: [{ title: 'x', extra: odd() }] });
    return extraOf(strapi, ids[0]);
  },
  'updateMany-json': async ({ strapi }) => {
    await strapi.db.query(article).updateMany({ where: { id: 1 }, data: { extra: odd() } });
    return extraOf(strapi, 1);
  },
  'hook-json': async ({ strapi }) => {
    const end = strapi.db.lifecycles.subscribe({
      models: [article],
      beforeCreate: ({ params }) => void (params.data.extra = odd()),
    });
    const { id } = await create(strapi, {});
    end();
    return extraOf(strapi, id);
  },
  'cycle-json': ({ strapi }) => {
    const cycle = {};
    cycle.cycle = cycle;
    return fails(() => create(strapi, { extra: cycle }));
  },
  'store-set': async ({ strapi }) => {
    await store(strapi).set({ value: odd() });
    return described(await store(strapi).get());
  },
  'store-set-list': async ({ strapi }) => {
    await store(strapi).set({ value: ['a', () => 1, new Moment()] });
    return described(await store(strapi).get());
  },
  'where-date-object': async ({ strapi }) =>
    (await strapi.db.query(article).findMany({ where: { at: { $lt: new Date() } } })).map(({ title }) => title),
  'time-date': async ({ strapi }) =>
    /^\d\d:\d\d:\d\d\.\d{3}$/.test((await strapi.db.query(article).create({ data: { title: 'x', hour: new Date() } })).hour),
  'number-object': async ({ strapi }) =>
    (await strapi.db.query(article).create({ data: { title: 'x', rating: new Amount() } })).rating,
  'big-number': async ({ strapi }) => (await create(strapi, { views: 5n })).views,
  'promise-where': ({ strapi }) => fails(() => strapi.db.query(event).findMany({ where: { count: Promise.resolve(1) } })),
  'promise-data': ({ strapi }) => fails(() => strapi.db.query(event).create({ data: { count: Promise.resolve(1) } })),
  'connect-one': async ({ strapi }) => {
    await strapi.db.query(article).update({ where: { id: 3 }, data: { author: { connect: { id: 1 } }, tags: { connect: 3 } } });
    return links(strapi, 3);
  },
  'connect-several': async ({ strapi }) => {
    await strapi.db.query(article).update({ where: { id: 1 }, data: { tags: { connect: [3, null], disconnect: 1 } } });
    return links(strapi, 1);
  },
  'set-one': async ({ strapi }) => {
    await strapi.db.query(article).update({ where: { id: 1 }, data: { author: { set: 2 }, tags: { set: { id: 3 } } } });
    return links(strapi, 1);
  },
  'set-with-nulls': async ({ strapi }) => {
    await strapi.db.query(article).update({ where: { id: 1 }, data: { tags: [null, 2, undefined] } });
    return links(strapi, 1);
  },
  'create-with-nulls': async ({ strapi }) => {
    const { id } = await strapi.db.query(article).create({ data: { title: 'x', author: { connect: 2 }, tags: [undefined, 2] } });
    return links(strapi, id);
  },
  'updateMany-relations': async ({ strapi }) => {
    const done = await strapi.db.query(article).updateMany({ where: { id: [1, 2] }, data: { rating: 1, author: 2, tags: [3] } });
    return [done, await links(strapi, 1), (await strapi.db.query(article).findOne({ where: { id: 1 } })).rating];
  },
  'updateMany-relations-only': ({ strapi }) =>
    fails(() => strapi.db.query(article).updateMany({ where: { id: 1 }, data: { author: 2 } })),
  groupBy: ({ strapi }) => strapi.db.query(tag).findMany({ select: ['label'], groupBy: ['label'] }),
  'groupBy-repeated': async ({ strapi }) => {
    await strapi.db.query(event).createMany({ data: [{ title: 'one' }, { title: 'two' }, {}] });
    return strapi.db
      .query(event)
      .findMany({ select: ['title'], groupBy: ['title'], orderBy: { title: 'asc' }, where: { title: { $ne: 'two' } } });
  },
  'groupBy-page': ({ strapi }) =>
    strapi.db.query(tag).findMany({ select: ['label'], groupBy: 'label', orderBy: { label: 'desc' }, offset: 1, limit: 1 }),
  'number-parameters': async ({ strapi }) => [
    (await strapi.db.query(tag).findMany({ limit: null, offset: null, select: null, populate: null, orderBy: null })).length,
    (await strapi.entityService.findMany(tag, { limit: null, start: null, fields: null, page: null, sort: null })).length,
    (await strapi.entityService.findMany(tag, { limit: '' })).length,
    (await strapi.entityService.findMany(article, { publicationState: null })).length,
  ],
  'nan-parameters': async ({ strapi }) => (await strapi.db.query(tag).findMany({ limit: NaN, offset: NaN })).length,
};

async function links(strapi, id) {
  const entry = await strapi.db.query(article).findOne({ where: { id }, populate: { author: true, tags: { orderBy: 'id' } } });
  return [entry.author?.id, entry.tags.map(({ id: of }) => of)];
}
