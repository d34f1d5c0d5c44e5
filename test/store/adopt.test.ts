import { expect } from 'chai';
import { freshDatabase, type FreshDatabase } from '../support/mongo.js';
import { serveAccounts, type ServingAccounts } from '../content/rights/serve-accounts.js';
import type { TestModel } from '../support/serve.js';

const model = (name: string, rest: object = {}): TestModel => ({
  uid: `api::${name}.${name}`,
  kind: 'collectionType',
  collectionName: `${name}s`,
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  options: { draftAndPublish: true },
  attributes: { title: { type: 'string', unique: true } },
  ...rest,
});

/** Starts on the database and lets everybody find the types. */
async function serve(database: FreshDatabase, models: readonly TestModel[] = []): Promise<ServingAccounts> {
  return serveAccounts({ database, models, config: { api: { open: true } } });
}

describe('collections that hold documents of other programs', () => {
  let database: FreshDatabase;
  let server: ServingAccounts;
  before(async () => {
    database = await freshDatabase();
    const { db } = database;
    for (const name of ['seeds', 'strays']) await db.collection<{ _id: number }>(name).insertOne({ _id: 1 });
    server = await serve(database, [model('seed', { adopt: true }), model('stray')]);
    for (const name of ['boats', 'ships', 'rafts'])
      await database.db.collection<{ _id: number }>(name).insertOne({ _id: 1, title: 'of others' } as { _id: number });
  });
  after(async () => {
    await server.stop();
    await database.drop();
  });

  const put = async ({ uid, ...document }: TestModel): Promise<void> => {
    await database.db.collection<{ _id: string }>('_models').replaceOne({ _id: uid }, document, { upsert: true });
    await server.settled();
  };
  const ask = async (path: string): Promise<unknown> => {
    const { status, body } = await server.call('GET', path);
    return status === 200 ? (body.data as readonly { id: number }[]).map(({ id }) => id) : status;
  };
  const restart = async (): Promise<void> => {
    await server.stop();
    server = await serve(database);
  };
  const problem = (collection: string): string =>
    `the collection ${collection} holds documents that were never served; adopt: true serves them`;

  it('are served only for a model that adopts them, also if it was stored before the first start', async () => {
    expect(await ask('/api/seeds?publicationState=preview')).to.deep.equal([1]);
    expect(await ask('/api/strays')).to.equal(404);
    const { body } = await server.admin('GET', '/models/api::stray.stray');
    expect(body.data.problems).to.deep.equal([problem('strays')]);
    expect((await database.db.collection('strays').indexes()).map(({ name }) => name)).to.deep.equal(['_id_']);
  });

  it('stay unchanged without a model that adopts them, also after a restart', async () => {
    await put(model('boat'));
    for (const again of [false, true]) {
      if (again) await restart();
      expect(await ask('/api/boats')).to.equal(404);
      const { body } = await server.admin('GET', '/models/api::boat.boat');
      expect(body.data.problems).to.deep.equal([problem('boats')]);
      expect(await database.db.collection('boats').find().toArray()).to.deep.equal([{ _id: 1, title: 'of others' }]);
      expect((await database.db.collection('boats').indexes()).map(({ name }) => name)).to.deep.equal(['_id_']);
    }
  });

  it('are served once a model adopts them, and later without the option', async () => {
    await put(model('boat', { adopt: true }));
    expect(await ask('/api/boats')).to.deep.equal([1]);
    await put(model('boat'));
    expect(await ask('/api/boats')).to.deep.equal([1]);
    await restart();
    expect(await ask('/api/boats')).to.deep.equal([1]);
    await database.db.collection<{ _id: string }>('_models').deleteOne({ _id: 'api::boat.boat' });
    await server.settled();
    expect(await ask('/api/boats')).to.equal(404);
    await put(model('boat'));
    expect(await ask('/api/boats')).to.deep.equal([1]);
  });

  it('cannot be taken by a type that is served from another collection', async () => {
    await put(model('seed', { collectionName: 'ships' }));
    expect(await ask('/api/seeds?publicationState=preview')).to.deep.equal([1]);
    const { body } = await server.admin('GET', '/models/api::seed.seed');
    expect(body.data.problems).to.deep.equal([problem('ships')]);
    await put(model('seed'));
  });

  it('are refused by the admin API before the model is stored', async () => {
    const { uid, ...document } = model('raft');
    for (const path of [`/models/${uid}`, `/models/${uid}?dryRun=true`]) {
      const { status, body } = await server.admin('PUT', path, document);
      const problems = status === 200 ? body.data.problems : body.error.details.problems;
      expect(problems).to.deep.equal({ [uid]: [problem('rafts')] });
    }
    expect((await server.admin('PUT', `/models/${uid}`, { ...document, adopt: true })).status).to.equal(200);
    await server.settled();
    expect(await ask('/api/rafts')).to.deep.equal([1]);
  });

  it('are not collections whose entries the service has written', async () => {
    await put(model('kayak'));
    expect((await server.call('POST', '/api/kayaks', { data: { title: 'own' } })).status).to.equal(200);
    await restart();
    expect(await ask('/api/kayaks')).to.deep.equal([1]);
  });

  it('are not confused with collections of the service by an instance that starts while entries are written', async () => {
    await put(model('canoe'));
    await server.call('POST', '/api/canoes', { data: { title: 'own' } });
    const second = await serve(database);
    try {
      expect((await second.call('GET', '/api/canoes')).status).to.equal(200);
    } finally {
      await second.stop();
    }
  });

  it('are not collections of a former version without a record, which have indexes or are served by an instance', async () => {
    const { db } = database;
    await server.stop();
    await db.collection('_collections').drop();
    await db.collection('kayaks').dropIndexes();
    const state = { _id: 'kayak' as never, uid: 'api::kayak.kayak', state: 'active', expiresAt: new Date(Date.now() + 900_000) };
    await db.collection('_model_status').insertOne(state);
    server = await serve(database);
    for (const path of ['/api/boats', '/api/kayaks', '/api/rafts']) expect(await ask(path), path).to.deep.equal([1]);
    expect(await ask('/api/strays')).to.equal(404);
  });
});
