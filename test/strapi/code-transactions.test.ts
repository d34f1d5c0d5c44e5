import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { serveProject, type ServedProject } from '../support/serve-project.js';

const note = {
  kind: 'collectionType',
  collectionName: 'notes',
  info: { singularName: 'note', pluralName: 'notes' },
  attributes: { title: { type: 'string' }, number: { type: 'integer', unique: true } },
};

const index = `module.exports = { register({ strapi }) {
  globalThis.projectStrapi = strapi;
  strapi.db.lifecycles.subscribe({ models: ['api::note.note'], async afterCreate({ result }) { globalThis.told.push(result.title); },
    async beforeCreate({ params: { data } }) { if (data.title === 'inner') await globalThis.inHook(); } });
} };`;

const files = {
  'src/api/note/content-types/note/schema.json': JSON.stringify(note),
  'src/api/note/routes/note.js': "module.exports = require('@strapi/strapi').factories.createCoreRouter('api::note.note');",
  'src/index.js': index,
};

interface Given {
  readonly commit: () => Promise<void>;
  readonly rollback: () => Promise<void>;
  readonly onCommit: (work: () => unknown) => void;
  readonly onRollback: (work: () => unknown) => void;
  readonly write: (title: string) => Promise<{ readonly id: number }>;
  readonly seen: string[];
  readonly strapi: ServedProject['strapi'];
}

type Work = (given: Given) => unknown;

const refuse = (message: string): never => {
  throw new Error(message);
};

const listening =
  (work: Work): Work =>
  (given) => {
    given.onCommit(() => given.seen.push('commit'));
    given.onRollback(() => given.seen.push('rollback'));
    return work(given);
  };

/** Code, what its call gives, what its listeners hear, and the titles that are stored then. */
const endings: readonly (readonly [
  name: string,
  work: Work,
  gives: unknown,
  hears: readonly string[],
  stored: readonly string[],
])[] = [
  ['its end', async ({ write }) => (await write('a'), 'done'), 'done', ['commit'], ['a']],
  ['an error', async ({ write }) => (await write('a'), refuse('no')), 'Error: no', ['rollback'], []],
  [
    'a rollback that it surrounds',
    async ({ write, rollback }) => (await write('a'), await rollback().catch(() => 0)),
    undefined,
    ['rollback'],
    [],
  ],
  ['a rollback', async ({ write, rollback }) => (await write('a'), await rollback(), 'a'), 'a', ['rollback'], []],
  [
    'a rollback that it does not wait for',
    async ({ write, rollback }) => (await write('a'), void rollback(), 'a'),
    'a',
    ['rollback'],
    [],
  ],
  [
    'a rollback after an error',
    async ({ write, rollback }) => {
      try {
        await write('a');
        refuse('no');
      } catch (error) {
        await rollback();
        return { error: String(error) };
      }
    },
    { error: 'Error: no' },
    ['rollback'],
    [],
  ],
  ['a rollback and an error', async ({ rollback }) => (await rollback(), refuse('no')), 'Error: no', ['rollback'], []],
  [
    'a rollback, and writes more',
    async ({ write, rollback }) => (await write('a'), await rollback(), await write('b'), 1),
    1,
    ['rollback'],
    ['b'],
  ],
  [
    'a rollback beside a write',
    async ({ write, rollback }) => (void write('a').catch(() => 0), await rollback(), 1),
    1,
    ['rollback'],
    [],
  ],
  ['a commit', async ({ write, commit }) => (await write('a'), await commit(), 1), 1, ['commit'], ['a']],
  [
    'a commit and an error',
    async ({ write, commit }) => (await write('a'), await commit(), refuse('no')),
    'Error: no',
    ['commit'],
    ['a'],
  ],
  [
    'a commit, writes more, and an error',
    async ({ write, commit }) => (await write('a'), await commit(), await write('b'), refuse('no')),
    ...(['Error: no', ['commit'], ['a', 'b']] as const),
  ],
  [
    'a rollback and a commit',
    async ({ write, rollback, commit }) => (await write('a'), await rollback(), await commit(), 1),
    1,
    ['rollback'],
    [],
  ],
  [
    'a commit and a rollback',
    async ({ write, rollback, commit }) => (await write('a'), await commit(), await rollback(), 1),
    1,
    ['commit'],
    ['a'],
  ],
  [
    'its end, with a rollback of an inner one',
    ({ write, strapi }) =>
      strapi.db.transaction(async ({ rollback }: Given) => {
        await write('a');
        await rollback();
        return 'inner';
      }),
    ...(['inner', ['commit'], ['a']] as const),
  ],
  [
    'an error after the commit of an inner one',
    async ({ write, strapi, seen }) => {
      await strapi.db.transaction(async ({ commit, onCommit, onRollback }: Given) => {
        onCommit(() => seen.push('inner commit'));
        onRollback(() => seen.push('inner rollback'));
        await write('a');
        await commit();
      });
      refuse('outer');
    },
    ...(['Error: outer', ['rollback', 'inner rollback'], []] as const),
  ],
];

describe('a transaction of code', () => {
  let serving: ServedProject;
  before(async () => {
    Object.assign(globalThis, { told: [], inHook: () => undefined });
    serving = await serveProject(files, { models: [{ uid: 'api::note.note', ...note }] });
  });
  after(() => serving.stop());
  beforeEach(async () => {
    await serving.database.db.collection('notes').deleteMany({});
    Object.assign(globalThis, { told: [], inHook: () => undefined });
  });

  const notes = () => serving.strapi.query('api::note.note');
  const titles = async (): Promise<readonly unknown[]> =>
    (await notes().findMany({ orderBy: 'title' })).map(({ title }: { readonly title: unknown }) => title);
  const write: Given['write'] = (title) => notes().create({ data: { title } });
  const run = (work: Work, seen: string[] = []): Promise<unknown> =>
    serving.strapi.db
      .transaction((given: Given) => work({ ...given, write, seen, strapi: serving.strapi }))
      .catch((error: unknown) => String(error));

  for (const [name, work, gives, hears, stored] of endings)
    it(`ends by ${name}`, async () => {
      const seen: string[] = [];
      expect(await run(listening(work), seen)).to.deep.equal(gives);
      expect([seen, await titles()]).to.deep.equal([hears, stored]);
      expect(Reflect.get(globalThis, 'told')).to.deep.equal(stored);
    });

  it('says whether code is in it', async () => {
    const isInside = (): boolean => serving.strapi.db.inTransaction();
    const after = await run(async ({ rollback }) => [isInside(), await rollback(), isInside()]);
    expect([isInside(), after]).to.deep.equal([false, [true, undefined, false]]);
  });

  it('runs again after a conflict with another writer, also if code rolls back then', async () => {
    const { id } = await write('first');
    let runs = 0;
    const result = await run(async ({ rollback }) => {
      runs += 1;
      try {
        await notes().count();
        if (runs === 1)
          await serving.database.db.collection<{ _id: number }>('notes').updateOne({ _id: id }, { $set: { number: 1 } });
        await notes().update({ where: { id }, data: { title: 'changed' } });
        return 'written';
      } catch (error) {
        await rollback();
        return String(error);
      }
    });
    expect([runs, result, await titles()]).to.deep.equal([2, 'written', ['changed']]);
  });

  const numbered = (number: number) => notes().create({ data: { title: `n${String(number)}`, number } });
  /** Writes of a number that another entry has, or that the transaction has written itself. */
  const taken: readonly (readonly [name: string, work: () => Promise<unknown>])[] = [
    ['a create', () => numbered(1)],
    ['a create by the entity service', () => serving.strapi.entityService.create('api::note.note', { data: { number: 1 } })],
    ['a create of what it has written', async () => (await numbered(2), numbered(2))],
    ['an update', async () => notes().update({ where: { id: (await numbered(3)).id }, data: { number: 1 } })],
  ];
  for (const [name, work] of taken)
    it(`goes on after ${name} that a unique attribute refuses`, async () => {
      await numbered(1);
      const result = await run(async () => {
        await write('before');
        const error = await work().catch((caught: unknown) => caught);
        await write('later');
        return Reflect.get(Object(error) as object, 'details');
      });
      expect(result).to.have.nested.property('errors[0].path').that.deep.equals(['number']);
      expect(await titles()).to.include.members(['before', 'later']);
    });

  it('fails at once if code goes on after an error that has ended it', async () => {
    await numbered(1);
    let runs = 0;
    const refused = notes().createMany;
    const fail = () => refused({ data: [{ title: 'x', number: 1 }] }).catch(() => (runs += 1));
    expect(await run(async () => (await write('a'), await fail(), write('b')))).to.match(/was ended by an earlier error/);
    expect(await run(async () => (await write('a'), fail()))).to.match(/was ended by an earlier error/);
    expect([runs, await titles()]).to.deep.equal([2, ['n1']]);
  });

  it('of a lifecycle goes on after a refused write', async () => {
    await numbered(1);
    Object.assign(globalThis, { inHook: () => numbered(1).catch(() => 0) });
    await write('inner');
    expect(await titles()).to.deep.equal(['inner', 'n1']);
  });

  it('of a lifecycle cannot be rolled back without its write', async () => {
    const inHook = () => run(({ rollback }) => rollback().catch(() => 0)).then((result) => refuse(String(result)));
    Object.assign(globalThis, { inHook });
    const error = await write('inner').catch(String);
    expect(error).to.match(/throw an error to refuse the write as a whole/);
    expect(await titles()).to.deep.equal([]);
  });

  it('of a lifecycle calls its listeners after the commit of the write', async () => {
    const seen: string[] = [];
    Object.assign(globalThis, { inHook: () => run(({ onCommit }) => onCommit(() => seen.push('commit'))) });
    await serving.strapi.db.transaction(async () => {
      await write('inner');
      seen.push('written');
    });
    expect(seen).to.deep.equal(['written', 'commit']);
  });

  it('without code can be ended, and nothing belongs to it', async () => {
    const transaction = await serving.strapi.db.transaction();
    expect(Object.keys(transaction)).to.have.members(['commit', 'rollback', 'get']);
    await write('a');
    await transaction.rollback();
    expect([await titles(), typeof transaction.get()]).to.deep.equal([['a'], 'function']);
  });

  it('in a lifecycle refuses the write with the error of the lifecycle, if a listener fails too', async () => {
    Object.assign(globalThis, {
      inHook: () =>
        serving.strapi.db.transaction(({ onRollback }: Given) => {
          onRollback(() => refuse('listener'));
          refuse('hook');
        }),
    });
    const error: unknown = await write('inner').catch((caught: unknown) => caught);
    expect(String(error)).to.equal('Error: hook');
    await new Promise((resolve) => setImmediate(resolve)); // an unhandled rejection would end the process
  });

  const user = { username: 'ann', email: 'ann@mail.test', password: 'Secret1', provider: 'local', role: 1 };
  const file = () => ({ name: 'a.txt', type: 'text/plain', buffer: Buffer.from('text') });
  /** Work that code reaches. */
  const reached: readonly (readonly [name: string, work: (strapi: ServedProject['strapi']) => unknown])[] = [
    ['strapi.entityService', (strapi) => strapi.entityService.create('api::note.note', { data: { title: 'x' } })],
    ['strapi.db.query', (strapi) => strapi.db.query('api::note.note').createMany({ data: [{ title: 'x' }] })],
    ['strapi.db.entityManager', (strapi) => strapi.db.entityManager.create('api::note.note', { data: { title: 'x' } })],
    ['the service of a type', (strapi) => strapi.service('api::note.note').create({ data: { title: 'x' } })],
    ['the service of users', (strapi) => strapi.plugin('users-permissions').service('user').add(user)],
    [
      'the service of roles',
      (strapi) => strapi.plugin('users-permissions').service('role').createRole({ name: 'r', description: 'd', permissions: {} }),
    ],
    ['the service of uploads', (strapi) => strapi.plugin('upload').service('upload').upload({ data: {}, files: file() })],
    ['the store', (strapi) => strapi.store({ type: 'plugin', name: 'own', key: 'k' }).set({ value: 1 })],
    ['locales', (strapi) => strapi.query('plugin::i18n.locale').create({ data: { code: 'de', name: 'German' } })],
  ];
  for (const [name, work] of reached)
    it(`includes what ${name} does`, async () => {
      const count = async (): Promise<number> => {
        const { db } = serving.database;
        const names = (await db.listCollections({}, { nameOnly: true }).toArray()).map((one) => one.name);
        const kept = names.filter(
          (one) => !['_collections', '_instances', '_claims', '_jobs', '_model_status', '_counters'].includes(one),
        );
        return (await Promise.all(kept.map((one) => db.collection(one).countDocuments()))).reduce((sum, one) => sum + one, 0);
      };
      const before = await count();
      const result = await run(async ({ rollback, strapi }) => (await work(strapi), await rollback(), 'rolled back'));
      // staged bytes are deleted once the transaction that held them has ended
      while ((await count()) > before) await setTimeout(20);
      expect([result, await count()]).to.deep.equal(['rolled back', before]);
      await work(serving.strapi);
      expect(await count()).to.be.greaterThan(before);
    });
});
