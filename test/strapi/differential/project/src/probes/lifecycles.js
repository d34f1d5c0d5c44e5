const { attempt } = require('./describe');
const { article, event, tag, user } = require('./uids');

/** Returns the events of a type while the function runs: all, those of an action, or those whose action matches a pattern. */
async function listen(strapi, { uid = event, action = /./ }, run) {
  const heard = [];
  const end = strapi.db.lifecycles.subscribe((given) => {
    if (given.model.uid !== uid || !(given.action === action || action.test?.(given.action))) return;
    const { params, result, state, model } = given;
    heard.push(structuredClone({ action: given.action, uid: model.uid, params, state, ...('result' in given && { result }) }));
  });
  try {
    const result = await attempt(() => run(strapi.db.query(uid), strapi.entityService));
    if (result?.error) heard.push(result);
  } finally {
    end();
  }
  return heard;
}

const works = {
  Create: (query) => query.create({ data: { title: 'made', count: 4, tag: 2 } }),
  Update: (query) => query.update({ where: { id: 1 }, data: { count: 9 } }),
  Delete: (query) => query.delete({ where: { id: 1 } }),
  FindOne: (query) => query.findOne({ where: { id: 1 }, select: ['title'] }),
  FindMany: (query) => query.findMany({ where: { count: { $gt: 1 } }, orderBy: { id: 'desc' }, limit: 1 }),
  Count: (query) => query.count({ where: { count: 2 } }),
  CreateMany: (query) => query.createMany({ data: [{ title: 'a' }, { title: 'b' }] }),
  UpdateMany: (query) => query.updateMany({ where: { count: { $gt: 1 } }, data: { trail: 'x' } }),
  DeleteMany: (query) => query.deleteMany({ where: { count: { $lt: 3 } } }),
};

const actions = Object.entries(works).flatMap(([kind, run]) =>
  ['before', 'after'].map((time) => [`${time}${kind}`, ({ strapi }) => listen(strapi, { action: `${time}${kind}` }, run)]),
);

const names = async (strapi, about, run) => (await listen(strapi, about, run)).map(({ action, error }) => action ?? error);

/** Returns the actions without their order, for operations that Strapi runs at the same time. */
const sortedNames = async (strapi, about, run) => (await names(strapi, about, run)).sort();

const writes = /Create|Update|Delete/;

/** Lifecycle events: what listeners are given, and which events an operation has. */
module.exports = {
  ...Object.fromEntries(actions),
  'service-create': ({ strapi }) =>
    listen(strapi, { action: writes }, (_, service) =>
      service.create(event, { data: { title: 'made', quote: { text: 'q' } }, populate: 'quote' }),
    ),
  'service-update': ({ strapi }) =>
    listen(strapi, { action: writes }, (_, service) => service.update(event, 1, { data: { count: 2 } })),
  'service-delete': ({ strapi }) => listen(strapi, { action: writes }, (_, service) => service.delete(event, 1)),
  'service-findMany': ({ strapi }) =>
    listen(strapi, {}, (_, service) => service.findMany(event, { filters: { count: 1 }, sort: 'title', fields: ['title'] })),
  'service-findOne': ({ strapi }) => listen(strapi, {}, (_, service) => service.findOne(event, 1, { fields: ['title'] })),
  'service-count': ({ strapi }) => listen(strapi, {}, (_, service) => service.count(event, { filters: { count: 1 } })),
  'service-findPage': ({ strapi }) => sortedNames(strapi, {}, (_, service) => service.findPage(event, { page: 1, pageSize: 1 })),
  'service-deleteMany': ({ strapi }) =>
    listen(strapi, { action: writes }, (_, service) => service.deleteMany(event, { filters: { count: 1 } })),
  'service-update-reads': ({ strapi }) => names(strapi, {}, (_, service) => service.update(event, 1, { data: { count: 2 } })),
  findWithCount: ({ strapi }) => sortedNames(strapi, {}, (query) => query.findWithCount({ limit: 1 })),
  findPage: ({ strapi }) => sortedNames(strapi, {}, (query) => query.findPage({ page: 1, pageSize: 1 })),
  load: ({ strapi }) => names(strapi, {}, (query) => query.load({ id: 1 }, 'tag')),
  populated: ({ strapi }) => names(strapi, { uid: tag }, () => strapi.db.query(event).findMany({ populate: ['tag'] })),
  'missing-entry': ({ strapi }) => names(strapi, {}, (query) => query.update({ where: { id: 99 }, data: { count: 1 } })),
  'article-service-create': ({ strapi }) =>
    names(strapi, { uid: article, action: writes }, (_, service) =>
      service.create(article, { data: { title: 'x', tags: [1], seo: { metaTitle: 'y' } } }),
    ),
  'user-create': ({ strapi }) =>
    names(strapi, { uid: user, action: writes }, (query) =>
      query.create({ data: { username: 'x', email: 'x@example.org', password: 'Passw0rd!' } }),
    ),
  'file-changes-data': ({ strapi }) => strapi.entityService.create(event, { data: { title: 'marked' } }),
  'file-changes-update': ({ strapi }) => strapi.entityService.update(event, 1, { data: { title: 'marked' } }),
  'file-refuses': async ({ strapi }) => [
    await attempt(() => strapi.entityService.create(event, { data: { title: 'refused' } })),
    await strapi.query(event).count(),
  ],
  'file-changes-result': ({ strapi }) => strapi.entityService.findOne(event, 3),
  'state-is-shared': async ({ strapi }) => {
    const seen = [];
    const end = strapi.db.lifecycles.subscribe({
      models: [event],
      beforeUpdate: (given) => void (given.state.from = 'before'),
      afterUpdate: (given) => void seen.push(given.state),
    });
    await strapi.query(event).update({ where: { id: 1 }, data: { count: 5 } });
    end();
    return seen;
  },
  'params-change-where': async ({ strapi }) => {
    const end = strapi.db.lifecycles.subscribe({
      models: [event],
      beforeFindMany: ({ params }) => void (params.where = { id: 2 }),
    });
    const found = await strapi.entityService.findMany(event);
    end();
    return found.map(({ title }) => title);
  },
  'params-change-data': async ({ strapi }) => {
    const end = strapi.db.lifecycles.subscribe({
      models: [event],
      beforeUpdateMany: ({ params }) => void (params.data.trail = 'added'),
    });
    await strapi.query(event).updateMany({ where: { id: [1, 2] }, data: { count: 0 } });
    end();
    return (await strapi.query(event).findMany({ orderBy: 'id' })).map(({ count, trail }) => [count, trail]);
  },
  'result-replaced': async ({ strapi }) => {
    const end = strapi.db.lifecycles.subscribe({ models: [event], afterCount: (given) => void (given.result = 99) });
    const count = await strapi.query(event).count();
    end();
    return count;
  },
  'writes-inside': async ({ strapi }) => {
    const end = strapi.db.lifecycles.subscribe({
      models: [event],
      afterCreate: ({ result }) => strapi.entityService.update(event, result.id, { data: { trail: 'by afterCreate' } }),
    });
    const { id } = await strapi.entityService.create(event, { data: { title: 'outer' } });
    end();
    return (await strapi.query(event).findOne({ where: { id } })).trail;
  },
  disabled: async ({ strapi }) => {
    strapi.db.lifecycles.disable();
    const heard = await names(strapi, {}, (query) => query.count());
    strapi.db.lifecycles.enable();
    return heard;
  },
};
