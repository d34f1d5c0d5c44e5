const { attempt } = require('./describe');
const { event, tag } = require('./uids');

/** Returns a probe that runs code in a transaction: what the call gives, and the labels that are stored then. */
const ending =
  (work) =>
  async ({ strapi }) => {
    const seen = [];
    const tags = strapi.query(tag);
    const write = (label) => tags.create({ data: { label } });
    const listened = ({ onCommit, onRollback }) => {
      onCommit(() => seen.push('commit'));
      onRollback(() => seen.push('rollback'));
    };
    const answer = await attempt(() =>
      strapi.db.transaction((given) => work({ ...given, strapi, write, seen, listened: () => listened(given) })),
    );
    const stored = await tags.findMany({ where: { label: { $in: ['a', 'b', 'c'] } }, orderBy: 'label' });
    return [answer, seen, stored.map(({ label }) => label)];
  };

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
  'rollback-caught': ending(async ({ rollback, write, listened }) => {
    listened();
    await write('a');
    try {
      await rollback();
    } catch {}
  }),
  'rollback-returns': ending(async ({ rollback, write, listened }) => {
    listened();
    await write('a');
    await rollback();
    return 'a';
  }),
  'rollback-not-awaited': ending(async ({ rollback, write }) => {
    await write('a');
    rollback();
    return 'a';
  }),
  'rollback-in-catch': ending(async ({ rollback, write }) => {
    try {
      await write('a');
      throw new Error('refused');
    } catch ({ message }) {
      await rollback();
      return { message };
    }
  }),
  'rollback-throws': ending(async ({ rollback, write, listened }) => {
    listened();
    await write('a');
    await rollback();
    throw new Error('after');
  }),
  'rollback-writes': ending(async ({ rollback, write, strapi }) => {
    await write('a');
    await rollback();
    await write('b');
    return strapi.db.inTransaction();
  }),
  'commit-throws': ending(async ({ commit, write, listened }) => {
    listened();
    await write('a');
    await commit();
    throw new Error('after');
  }),
  'commit-returns': ending(async ({ commit, write, listened, strapi }) => {
    listened();
    await write('a');
    await commit();
    await write('b');
    return strapi.db.inTransaction();
  }),
  'commit-writes-throws': ending(async ({ commit, write }) => {
    await write('a');
    await commit();
    await write('b');
    throw new Error('after');
  }),
  'commit-listens-later': ending(async ({ commit, onCommit, seen }) => {
    await commit();
    onCommit(() => seen.push('late'));
    return seen.length;
  }),
  'both-ends': ending(async ({ commit, rollback, write }) => {
    await write('a');
    await rollback();
    return attempt(() => commit());
  }),
  'commit-twice': ending(async ({ commit, write, listened }) => {
    listened();
    await write('a');
    await commit();
    return attempt(() => commit());
  }),
  'inner-rollback': ending(async ({ write, strapi }) => {
    await write('a');
    return strapi.db.transaction(async ({ rollback }) => {
      await write('b');
      await rollback();
      return 'inner';
    });
  }),
  'inner-commit': ending(async ({ write, strapi }) => {
    await write('a');
    await strapi.db.transaction(async ({ commit }) => {
      await write('b');
      await commit();
    });
    throw new Error('outer');
  }),
  'inner-throws-caught': ending(async ({ write, strapi }) => {
    await write('a');
    const failing = async () => {
      await write('b');
      throw new Error('inner');
    };
    return attempt(() => strapi.db.transaction(failing));
  }),
  'inner-listeners': ending(async ({ seen, listened, strapi }) => {
    listened();
    await strapi.db.transaction(async ({ onCommit, onRollback }) => {
      onCommit(() => seen.push('inner commit'));
      onRollback(() => seen.push('inner rollback'));
    });
    seen.push('inner ended');
  }),
  'inner-listeners-rollback': ending(async ({ seen, rollback, strapi }) => {
    await strapi.db.transaction(async ({ onRollback }) => {
      onRollback(() => seen.push('inner rollback'));
    });
    await rollback();
    seen.push('rolled back');
  }),
  'inner-manual': ending(async ({ write, strapi }) => {
    const inner = await strapi.db.transaction();
    await write('a');
    await inner.rollback();
    return [typeof inner.get(), strapi.db.inTransaction()];
  }),
  'reads-after-rollback': ending(async ({ write, rollback, strapi }) => {
    await write('a');
    await rollback();
    return strapi.query(tag).count({ where: { label: 'a' } });
  }),
  members: ending(async (given) => ['trx', 'commit', 'rollback', 'onCommit', 'onRollback'].map((name) => typeof given[name])),
  'manual-commit': async ({ strapi }) => {
    const transaction = await strapi.db.transaction();
    return [Object.keys(transaction).sort(), (await transaction.commit()) ?? null, strapi.db.inTransaction()];
  },
};
