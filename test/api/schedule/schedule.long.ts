import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { defaultModelSettings } from '#model/schema/build-content-type.js';
import { readModel } from '#model/schema/read-model.js';
import { freshDatabase, type FreshDatabase } from '../../support/mongo.js';
import { serveModels, type Serving, type TestModel } from '../../support/serve.js';
import { writeProject } from '../../support/write-project.js';

const post: TestModel = {
  uid: 'api::post.post',
  kind: 'collectionType',
  collectionName: 'posts',
  info: { singularName: 'post', pluralName: 'posts', displayName: 'Post' },
  options: { draftAndPublish: true, history: {} },
  pluginOptions: { schedule: { enabled: true }, i18n: { localized: true } },
  attributes: { title: { type: 'string', required: true } },
};

const past = '2020-01-01T00:00:00.000Z';
const future = '2999-01-01T00:00:00.000Z';

interface Shown {
  readonly publishedAt: string | null;
  readonly publishAt: string | null;
  readonly unpublishAt: string | null;
}

describe('scheduled publishing', () => {
  let database: FreshDatabase;
  let servers: readonly Serving[];
  let turn = 0;
  /** Sends a request to one instance after the other. */
  const call = (method: string, path: string, body?: object) => {
    const server = servers[turn++ % servers.length];
    if (server === undefined) throw new Error('no instance is running');
    return server.call(method, path, body);
  };
  const find = async (id: number): Promise<Shown> => (await call('GET', `/api/posts/${String(id)}`)).body.data.attributes;
  const create = async (data: object): Promise<number> => {
    const { status, body } = await call('POST', '/api/posts', { data: { title: 'A post', publishedAt: null, ...data } });
    expect(status, JSON.stringify(body)).to.equal(200);
    return body.data.id;
  };
  const until = async (id: number, isDone: (shown: Shown) => boolean): Promise<Shown> => {
    for (;;) {
      const shown = await find(id);
      if (isDone(shown)) return shown;
      await delay(50);
    }
  };
  /** Returns what was done to an entry, the last action first. */
  const actions = async (id: number): Promise<readonly string[]> =>
    (await database.db.collection('_history').find({ of: id }).sort({ version: -1 }).toArray()).map(
      ({ action }) => action as string,
    );

  before(async () => {
    database = await freshDatabase();
    const locales = database.db.collection<{ _id: number }>('i18n_locales');
    await locales.insertMany([
      { _id: 1, ...{ code: 'en', name: 'English' } },
      { _id: 2, ...{ code: 'fr', name: 'French' } },
    ]);
    servers = [await serveModels({ models: [post], database }), await serveModels({ models: [post], database })];
  });
  after(async () => {
    for (const server of servers) await server.stop();
    await database.drop();
  });

  it('publishes and unpublishes entries whose time has come, once, with two instances', async () => {
    const due = await create({ publishAt: past, locale: 'fr' });
    const both = await create({ publishAt: past, unpublishAt: past });
    const later = await create({ publishAt: future });
    expect(await until(due, ({ publishedAt }) => publishedAt !== null)).to.include({ publishAt: null, unpublishAt: null });
    expect(await until(both, ({ unpublishAt }) => unpublishAt === null)).to.include({ publishedAt: null, publishAt: null });
    expect(await actions(due)).to.deep.equal(['publish', 'create']);
    expect(await actions(both)).to.deep.equal(['unpublish', 'publish', 'create']);
    expect(await find(later)).to.include({ publishedAt: null, publishAt: future });
    const [published] = await database.db.collection('_history').find({ of: due }).sort({ version: -1 }).toArray();
    expect(published).to.include({ by: 'schedule' });
  });

  it('publishes one locale without the others', async () => {
    const english = await create({});
    const french = await call('POST', `/api/posts/${String(english)}/localizations`, {
      title: 'Un',
      locale: 'fr',
      publishAt: past,
    });
    expect(french.status, JSON.stringify(french.body)).to.equal(200);
    await until(french.body.id, ({ publishedAt }) => publishedAt !== null);
    expect(await find(english)).to.include({ publishedAt: null, publishAt: null });
  });

  it('removes a time whose state an editor has set before, so that it has no effect later', async () => {
    const id = await create({ publishAt: past, publishedAt: past });
    await until(id, ({ publishAt }) => publishAt === null);
    await call('PUT', `/api/posts/${String(id)}`, { data: { publishedAt: null } });
    const next = await create({ publishAt: past });
    await until(next, ({ publishedAt }) => publishedAt !== null);
    expect(await find(id)).to.include({ publishedAt: null });
  });

  it('leaves a draft that is incomplete until it has another time', async () => {
    const incomplete = await create({ title: null, publishAt: past });
    const next = await create({ publishAt: past });
    await until(next, ({ publishedAt }) => publishedAt !== null);
    expect(await find(incomplete)).to.include({ publishedAt: null, publishAt: past });
    await call('PUT', `/api/posts/${String(incomplete)}`, { data: { title: 'Complete', publishAt: '2021-01-01T00:00:00.000Z' } });
    await until(incomplete, ({ publishedAt }) => publishedAt !== null);
  });

  it('publishes an entry behind more that cannot be published than are remembered', async function () {
    this.timeout(600_000);
    const incomplete = Array.from({ length: 1_150 }, (_, index) => ({
      ...{ _id: 10_000 + index, title: null, locale: 'en', publishedAt: null, publishAt: new Date('2019-01-01') },
    }));
    await database.db.collection<{ _id: number }>('posts').insertMany(incomplete);
    const next = await create({ publishAt: past });
    await until(next, ({ publishedAt }) => publishedAt !== null);
    await database.db.collection<{ _id: number }>('posts').deleteMany({ _id: { $gte: 10_000, $lt: 11_150 } });
  });

  it('publishes entries behind those whose publication fails in code of the project', async function () {
    this.timeout(60_000);
    const files = {
      'src/index.js': `module.exports = { bootstrap({ strapi }) {
        strapi.db.lifecycles.subscribe({ models: ['api::post.post'], beforeUpdate({ params }) {
          if (params.where.id <= 100) throw new Error('broken'); } }); } };`,
    };
    const serving = await serveModels({ models: [post], project: await writeProject(files) });
    const make = async (publishAt: string): Promise<void> => {
      const data = { title: 'A post', publishedAt: null, publishAt };
      expect((await serving.call('POST', '/api/posts', { data })).status).to.equal(200);
    };
    for (let n = 0; n < 100; n++) await make(past);
    await make('2020-01-02T00:00:00.000Z');
    while ((await serving.call('GET', '/api/posts/101')).body.data.attributes.publishedAt === null) await delay(100);
    expect((await serving.call('GET', '/api/posts/1')).body.data.attributes.publishedAt).to.equal(null);
    await serving.stop();
  });

  it('publishes what was due while no instance was running', async () => {
    const id = await create({ publishAt: future });
    for (const server of servers) await server.stop();
    await database.db.collection<{ _id: number }>('posts').updateOne({ _id: id }, { $set: { publishAt: new Date(past) } });
    servers = [await serveModels({ models: [post], database })];
    await until(id, ({ publishedAt }) => publishedAt !== null);
    expect(await actions(id)).to.deep.equal(['publish', 'create']);
  });

  it('starts with the first type that is scheduled, without a restart', async () => {
    const own = await freshDatabase();
    const server = await serveModels({ models: [{ ...post, pluginOptions: {} }], database: own });
    try {
      const { body } = await server.call('POST', '/api/posts', { data: { title: 'A post', publishedAt: null } });
      const models = own.db.collection<{ _id: string }>('_models');
      await models.updateOne({ _id: post.uid }, { $set: { pluginOptions: { schedule: { enabled: true } } } });
      const put = () => server.call('PUT', `/api/posts/${String(body.data.id)}`, { data: { publishAt: past } });
      for (let shown = await put(); shown.body.data?.attributes.publishedAt === null; shown = await put()) await delay(50);
    } finally {
      await server.stop();
      await own.drop();
    }
  });

  for (const [model, problem] of [
    [{ options: {} }, 'pluginOptions.schedule requires options.draftAndPublish'],
    [
      { attributes: { publishAt: { type: 'string' } } },
      'attributes.publishAt must be a datetime, because pluginOptions.schedule is enabled',
    ],
  ] as const)
    it(`refuses a model: ${problem}`, () => {
      expect(readModel({ ...post, ...model }, defaultModelSettings).problems).to.deep.equal([problem]);
    });
});
