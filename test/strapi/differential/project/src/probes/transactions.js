const { attempt } = require('./describe');
const { event, tag } = require('./uids');

/** `strapi.db.transaction`. */
module.exports = {
  commit: async ({ strapi }) => {
    const result = await strapi.db.transaction(async () => {
      await strapi.entityService.create(tag, { data: { label: 'kept' } });
      return 'done';
    });
    return [result, await strapi.query(tag).count()];
  },
  rollback: async ({ strapi }) => [
    await attempt(() =>
      strapi.db.transaction(async () => {
        await strapi.query(tag).create({ data: { label: 'lost again' } });
        throw new Error('undo');
      }),
    ),
    await strapi.query(tag).count(),
  ],
  'sees-own-writes': ({ strapi }) =>
    strapi.db.transaction(async () => {
      await strapi.query(tag).updateMany({ where: {}, data: { weight: 7 } });
      return (await strapi.query(tag).findMany({ orderBy: 'id' })).map(({ weight }) => weight);
    }),
  nested: async ({ strapi }) => [
    await attempt(() =>
      strapi.db.transaction(async () => {
        await strapi.query(tag).create({ data: { label: 'outer' } });
        await strapi.db.transaction(() => strapi.query(tag).create({ data: { label: 'inner' } }));
        throw new Error('undo both');
      }),
    ),
    await strapi.query(tag).count(),
  ],
  hooks: async ({ strapi }) => {
    const seen = [];
    await strapi.db.transaction(async ({ onCommit, onRollback }) => {
      onCommit(() => seen.push('commit'));
      onRollback(() => seen.push('rollback'));
      seen.push('work');
    });
    return seen;
  },
  'hooks-rollback': async ({ strapi }) => {
    const seen = [];
    await attempt(() =>
      strapi.db.transaction(async ({ onCommit, onRollback }) => {
        onCommit(() => seen.push('commit'));
        onRollback(() => seen.push('rollback'));
        throw new Error('undo');
      }),
    );
    return seen;
  },
  manual: async ({ strapi }) => {
    const transaction = await strapi.db.transaction();
    await transaction.rollback();
    return [typeof transaction.commit, typeof transaction.get, await strapi.query(tag).count()];
  },
  'in-transaction': async ({ strapi }) => [
    strapi.db.inTransaction(),
    await strapi.db.transaction(() => strapi.db.inTransaction()),
  ],
  'lifecycle-inside': async ({ strapi }) => [
    await attempt(() => strapi.db.transaction(() => strapi.entityService.create(event, { data: { title: 'refused' } }))),
    await strapi.query(event).count(),
  ],
};
