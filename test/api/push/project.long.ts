import { expect } from 'chai';
import { createLog } from '../../support/create-log.js';
import { collectionType } from '../../support/collection-type.js';
import { serveProject } from '../../support/serve-project.js';
import { serveModels, type ServingInput } from '../../support/serve.js';
import type { ProjectFiles } from '../../support/write-project.js';
import { newKey, type Pushed, pushModels } from './push-kit.js';

const synced = (name: string) => ({
  ...collectionType(name, { title: { type: 'string' }, views: { type: 'integer' } }),
  pluginOptions: { sync: { enabled: true } },
});
const models = [synced('note'), synced('tag')];
const router = (options = ''): string =>
  `module.exports = require('@strapi/strapi').factories.createCoreRouter('api::note.note'${options && `, ${options}`});`;
const routes = 'src/api/note/routes/note.js';
const create = (more: object = {}) => ({
  ...{ key: newKey(), op: 'create', type: 'notes', id: `$name-of-${newKey()}`, set: { title: { to: 'x' } } },
  ...more,
});
const refusal = 'POST of notes is answered or guarded by code of the project, so it cannot be pushed';

describe('a push in a project', () => {
  const ask = async (files: ProjectFiles, input: Partial<ServingInput> = {}): Promise<unknown> => {
    const serving = await serveProject(files, { models, ...input });
    const { status, body } = await serving.call('POST', '/api/sync/push', { writes: [create()] });
    await serving.stop();
    if (status !== 200) return body.error.message;
    const [answer] = body.data as readonly Pushed[];
    return answer?.status === 'refused' ? answer.error?.message : answer?.status;
  };
  const cases: readonly (readonly [title: string, files: ProjectFiles, answer: string])[] = [
    ['a generated router', { [routes]: router() }, 'applied'],
    ['a policy', { [routes]: router('{ config: { create: { policies: [() => true] } } }') }, refusal],
    ['a policy of another action', { [routes]: router('{ config: { update: { policies: [() => true] } } }') }, 'applied'],
    ['no authentication', { [routes]: router('{ config: { create: { auth: false } } }') }, refusal],
    ['only reads', { [routes]: router("{ only: ['find'] }") }, refusal],
  ];
  for (const [title, files, answer] of cases)
    it(title, async () => {
      expect(await ask(files)).to.equal(answer);
    });

  const around: ProjectFiles = {
    'src/middlewares/own.js': 'module.exports = () => (ctx, next) => next();',
    'config/middlewares.js': "module.exports = ['global::own'];",
  };
  it('is refused if middlewares would not see its writes, unless they need not', async () => {
    expect(await ask(around)).to.match(/^The project has middlewares that would not see the writes of a push/);
    expect(await ask(around, { config: { api: { rest: { batchPastMiddlewares: true } } } })).to.equal('applied');
  });

  const lifecycles = `
    const seen = (globalThis.pushedEvents = []);
    const note = (name) => (event) => void seen.push([name, event.params.data && { title: event.params.data.title, views: event.params.data.views }]);
    module.exports = {
      beforeCreate: note('beforeCreate'),
      afterCreate(event) { note('afterCreate')(event); if (event.params.data.title === 'fails') throw new Error('after the commit'); },
      beforeUpdate(event) {
        note('beforeUpdate')(event);
        if (event.params.data.title === 'forbidden') throw new (require('@strapi/utils').errors.ApplicationError)('not this');
      },
      afterUpdate: note('afterUpdate'),
      beforeDelete: note('beforeDelete'),
    };`;
  it('goes on after a write that may succeed later, and is refused like it if no write has an outcome', async () => {
    const later = `
      module.exports = {
        beforeCreate(event) {
          if (event.params.data.title === 'later') throw new (require('@strapi/utils').errors.RateLimitError)('come again');
        },
      };`;
    const files = { [routes]: router(), 'src/api/note/content-types/note/lifecycles.js': later };
    const serving = await serveProject(files, { models });
    const waits = create({ set: { title: { to: 'later' } } });
    const { body } = await serving.call('POST', '/api/sync/push', { writes: [waits, create()] });
    expect(body.data.map(({ status }: Pushed) => status)).to.deep.equal(['waiting', 'applied']);
    expect(body.data[0].error).to.include({ status: 429, message: 'come again' });
    const alone = await serving.call('POST', '/api/sync/push', { writes: [waits] });
    expect(alone.status).to.equal(429);
    await serving.stop();
  });

  it('runs the lifecycles of each write once, with the values that are written', async () => {
    const files = { [routes]: router(), 'src/api/note/content-types/note/lifecycles.js': lifecycles };
    const serving = await serveProject(files, { models });
    const seen = (): unknown => (Reflect.get(globalThis, 'pushedEvents') as unknown[]).splice(0);
    const push = async (...writes: readonly object[]): Promise<readonly Pushed[]> =>
      (await serving.call('POST', '/api/sync/push', { writes })).body.data;
    const write = create({ set: { title: { to: 'a' }, views: { to: 2 } } });
    const [made] = await push(write);
    expect(made).to.include({ status: 'applied' });
    expect(seen()).to.deep.equal([
      ['beforeCreate', { title: 'a', views: 2 }],
      ['afterCreate', { title: 'a', views: 2 }],
    ]);
    expect(await push(write)).to.deep.equal([made]);
    expect(seen()).to.deep.equal([]);
    const update = (more: object) => ({ key: newKey(), op: 'update', type: 'notes', id: made?.id, ...more });
    await push(update({ increment: { views: 3 } }));
    expect(seen()).to.deep.equal([
      ['beforeUpdate', { title: undefined, views: 5 }],
      ['afterUpdate', { title: undefined, views: 5 }],
    ]);
    expect((await push(update({ set: { title: { from: 'b', to: 'c' } } })))[0]).to.include({ status: 'conflict' });
    expect(seen()).to.deep.equal([]);
    const [refused] = await push(update({ set: { title: { to: 'forbidden' } } }));
    expect(refused?.error).to.include({ status: 400, name: 'ApplicationError', message: 'not this' });
    seen();
    const [late] = await push(create({ set: { title: { to: 'fails' } } }));
    expect(late).to.include({ status: 'applied' });
    expect(late?.attributes.title).to.equal('fails');
    expect(seen()).to.have.length(2);
    await serving.stop();
  });
});

describe('a push and its surroundings', () => {
  it('yields to content types that have its path, and says so', async () => {
    const { logger, lines } = await createLog();
    const named = (plural: string, more: object = {}) => ({
      ...synced('kind'),
      info: { singularName: 'kind', pluralName: plural, displayName: plural },
      ...more,
    });
    for (const [plural, method, name] of [
      ['push', 'POST', 'push'],
      ['schema', 'GET', 'schema'],
      ['sync', 'POST', 'push'],
    ] as const) {
      const serving = await serveModels({ models: [named(plural)], logger });
      const made = await serving.call('POST', `/api/${plural}`, { data: { title: 'own' } });
      const own = await serving.call(method, `/api/sync/${name}`, ...(method === 'POST' ? [{ writes: [] }] : []));
      if (plural === 'schema')
        expect(own.body.data).to.deep.include({ op: 'upsert', id: made.body.data.id, attributes: own.body.data[0].attributes });
      else expect(own.status, plural).to.equal(405);
      await serving.stop();
      const text = `${method} /api/sync/${name} is not served, because the content type api::kind.kind has its path`;
      expect(lines.map(({ msg }) => msg)).to.include(text);
    }
  });

  it('lets writes wait that exceed its budget after others', async () => {
    const serving = await serveModels({ models: pushModels, config: { api: { limits: { answerBytes: 1_000 } } } });
    const write = (title: string) => ({
      key: newKey(),
      op: 'create',
      type: 'articles',
      id: `$${newKey()}`,
      set: { title: { to: title } },
    });
    const writes = Array.from({ length: 12 }, (_, index) => write(String(index)));
    const applied: string[] = [];
    for (let pushes = 0; applied.length < 12 && pushes < 12; pushes++) {
      const left = writes.slice(applied.length);
      const data = (await serving.call('POST', '/api/sync/push', { writes: left })).body.data as readonly Pushed[];
      const done = data.filter(({ status }) => status === 'applied').map(({ key }) => key);
      expect(done.length).to.be.greaterThan(0);
      expect(data.slice(done.length).map(({ status }) => status)).to.deep.equal(Array(left.length - done.length).fill('waiting'));
      if (pushes === 0) expect(done.length).to.be.lessThan(12);
      applied.push(...done);
    }
    expect(applied).to.deep.equal(writes.map(({ key }) => key));
    expect(await serving.database.db.collection('articles').countDocuments()).to.equal(12);
    await serving.stop();
  });

  it('demands that conflicts of a model are value or last', async () => {
    const serving = await serveModels({ models: pushModels });
    const model = { ...synced('odd'), pluginOptions: { sync: { enabled: true, conflicts: 'lsat' } } };
    const { uid, ...document } = model;
    await serving.database.db.collection<{ _id: string }>('_models').insertOne({ _id: uid, ...document });
    await serving.settled();
    expect((await serving.call('GET', '/api/odds')).status).to.equal(404);
    await serving.stop();
  });
});
