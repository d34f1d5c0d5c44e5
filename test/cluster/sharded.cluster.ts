import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fillDemo } from '#operate/cli/load-demo.js';
import { collectionType } from '../support/collection-type.js';
import { freshDatabase } from '../support/mongo.js';
import { runCli } from '../support/run-cli.js';
import { serveModels, type Serving, type TestModel } from '../support/serve.js';

const title = { type: 'string' };
const models: readonly TestModel[] = [
  collectionType(
    'parcel',
    { title, depot: { type: 'relation', relation: 'manyToOne', target: 'api::depot.depot', inversedBy: 'parcels' } },
    { shard: '_id' },
  ),
  collectionType('depot', {
    title,
    parcels: { type: 'relation', relation: 'oneToMany', target: 'api::parcel.parcel', mappedBy: 'depot' },
  }),
  collectionType('visit', { title, country: { type: 'string' } }, { shard: { country: 1 } }),
  collectionType('page', { title, slug: { type: 'string', unique: true } }, { shard: { slug: 1 } }),
  collectionType('crate', { title }, { shard: '_id' }),
  collectionType('coin', { title, code: { type: 'string', unique: true } }, { shard: '_id' }),
];

/** How many documents of a collection each shard holds, fewest first. */
async function spread({ database: { client, name } }: Serving, collection: string): Promise<readonly number[]> {
  const stages = [{ $collStats: { count: {} } }, { $project: { shard: 1, count: 1 } }];
  const rows = await client.db(name).collection(collection).aggregate(stages).toArray();
  return rows.map(({ count }) => Number(count)).sort((a, b) => a - b);
}

/** Puts documents of one shard on the other as well, as a cluster does while it moves them. */
async function leaveOrphans({ database: { client, name } }: Serving, collection: string, count: number): Promise<void> {
  const { shards } = await client.db('admin').command({ listShards: 1 });
  const hosts = (shards as readonly { readonly host: string }[]).map(({ host }) => host.split('/')[1] ?? host);
  const clients = await Promise.all(hosts.map((host) => MongoClient.connect(`mongodb://${host}/?directConnection=true`)));
  const [from, to] = clients.map((shard) => shard.db(name).collection(collection));
  if (from === undefined || to === undefined) throw new Error('the cluster has no two shards');
  await to.insertMany(await from.find().limit(count).toArray());
  await Promise.all(clients.map((shard) => shard.close()));
}

/** Repeats a request until it has the expected answer. Returns the time in milliseconds. */
async function until(isThere: () => Promise<boolean>): Promise<number> {
  const start = performance.now();
  while (!(await isThere())) if (performance.now() - start > 25_000) throw new Error('the answer stays as it was');
  return performance.now() - start;
}

describe('two instances on a cluster of two shards', () => {
  let first: Serving;
  let second: Serving;
  before(async () => {
    first = await serveModels({ models });
    second = await serveModels({ models: [], database: first.database });
  });
  after(async () => {
    await second.stop();
    await first.stop();
  });

  const total = async (serving: Serving, path: string): Promise<number> =>
    Number((await serving.call('GET', path)).body.meta.pagination.total);
  const create = async (path: string, data: object): Promise<number> =>
    Number((await first.call('POST', path, { data })).body.data.id);

  it('spread entries by their hashed ids, and read them in one order', async () => {
    const depot = await create('/api/depots', { title: 'north' });
    await Promise.all(
      Array.from({ length: 60 }, (_, index) => create('/api/parcels', { title: `p${String(100 + index)}`, depot })),
    );
    expect(await spread(first, 'parcels')).to.satisfy(
      ([least = 0, most = 0]: readonly number[]) => least > 10 && least + most === 60,
    );
    const page = await second.call(
      'GET',
      '/api/parcels?sort=title:desc&pagination[page]=2&pagination[pageSize]=20&populate=depot',
    );
    const titles = page.body.data.map(({ attributes }: { attributes: { title: string } }) => attributes.title);
    expect(titles).to.deep.equal(Array.from({ length: 20 }, (_, index) => `p${String(139 - index)}`));
    expect(page.body.data[0].attributes.depot.data.attributes.title).to.equal('north');
    const filled = await second.call('GET', `/api/depots/${String(depot)}?populate=parcels`);
    expect(filled.body.data.attributes.parcels.data).to.have.length(60);
    expect(await total(second, '/api/parcels?filters[depot][title]=north')).to.equal(60);
  });

  it('an update may take an entry to another shard', async () => {
    const id = await create('/api/visits', { title: 'x', country: 'AT' });
    const { status, body } = await second.call('PUT', `/api/visits/${String(id)}`, { data: { country: 'PE' } });
    expect([status, body.data.attributes.country]).to.deep.equal([200, 'PE']);
    expect(await total(first, '/api/visits?filters[country]=PE')).to.equal(1);
    expect((await first.call('DELETE', `/api/visits/${String(id)}`)).status).to.equal(200);
  });

  for (const [path, attribute, why] of [
    ['/api/pages', 'slug', 'the key begins with it'],
    ['/api/coins', 'code', 'the type is not sharded by its id, which would give that up'],
  ] as const)
    it(`${path}: ${attribute} stays unique: ${why}`, async () => {
      await create(path, { [attribute]: 'a' });
      const { status, body } = await second.call('POST', path, { data: { [attribute]: 'a' } });
      expect([status, body.error?.message]).to.deep.equal([400, 'This attribute must be unique']);
    });

  it('a total follows the writes of the other instance', async () => {
    expect(await total(second, '/api/parcels')).to.equal(60);
    await create('/api/parcels', { title: 'late' });
    expect(await total(first, '/api/parcels')).to.equal(61);
    await until(async () => (await total(second, '/api/parcels')) === 61);
  });

  it('a total and the last page leave out what a shard holds of another one', async () => {
    await first.database.db
      .collection<{ _id: number }>('crates')
      .insertMany(Array.from({ length: 2_500 }, (_, index) => ({ _id: index + 1, title: String(index) })));
    await leaveOrphans(first, 'crates', 40);
    expect(await total(first, '/api/crates')).to.equal(2_500);
    const { body } = await first.call('GET', '/api/crates?pagination[page]=25&pagination[pageSize]=100');
    expect(body.data.map(({ id }: { id: number }) => id)).to.deep.equal(Array.from({ length: 100 }, (_, index) => 2_401 + index));
    const beyond = await first.call('GET', '/api/crates?pagination[page]=26&pagination[pageSize]=100');
    expect([beyond.body.data, beyond.body.meta.pagination.total]).to.deep.equal([[], 2_500]);
  });

  it('a model that any client stores is served by both within a second or so', async () => {
    const { uid, ...document } = collectionType('gadget', { title });
    await first.database.db.collection<{ _id: string }>('_models').insertOne({ _id: uid, ...document });
    const times = await Promise.all(
      [first, second].map((serving) => until(async () => (await serving.call('GET', '/api/gadgets')).status === 200)),
    );
    console.log(`      live after ${times.map((time) => `${time.toFixed(0)} ms`).join(' and ')}`);
    // A change stream alone takes 4 to 18 s here.
    expect(Math.max(...times)).to.be.lessThan(3_000);
  });

  it('npx mangrove models shard spreads what is stored, and refuses what would lose its uniqueness', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'mangrove-shard-'));
    const env = { MONGODB_URI: first.database.uri, NODE_ENV: 'development' };
    const run = (...args: readonly string[]) => runCli('models', args, { directory, env });
    await first.database.db
      .collection<{ _id: string }>('_models')
      .updateOne({ _id: 'api::depot.depot' }, { $set: { shard: { title: 1 } } });
    const sharded = await run('shard', 'api::depot.depot');
    expect([sharded.exitCode, sharded.stdout]).to.deep.equal([0, 'sharded  api::depot.depot  {"title":1}']);
    const refused = await run('shard', 'api::coin.coin');
    expect([refused.exitCode, refused.stdout]).to.deep.equal([
      1,
      'refused  api::coin.coin  code is unique, which only a key of { "code": 1 } can guarantee',
    ]);
    await rm(directory, { recursive: true });
  });
});

describe('an import on a cluster', () => {
  it('leaves a sharded collection sharded whose entries it replaces', async () => {
    const serving = await serveModels({ models: models.slice(0, 2) });
    const directory = await mkdtemp(join(tmpdir(), 'mangrove-cluster-'));
    const input = { directory, env: { MONGODB_URI: serving.database.uri } };
    for (const name of ['a', 'b', 'c']) await serving.call('POST', '/api/parcels', { data: { title: name } });
    expect((await runCli('export', ['all.tar'], input)).exitCode).to.equal(0);
    expect((await runCli('import', ['all.tar', '--replace'], input)).exitCode).to.equal(0);
    const { client, name } = serving.database;
    const sharded = await client
      .db('config')
      .collection<{ _id: string; key: object }>('collections')
      .findOne({ _id: `${name}.parcels` });
    expect(sharded?.key).to.deep.equal({ _id: 'hashed' });
    expect(await client.db(name).collection('parcels').countDocuments()).to.equal(3);
    await serving.stop();
    await rm(directory, { recursive: true });
  });
});

describe('the demo on a cluster', () => {
  it('is loaded although an operator has sharded one of its collections before', async () => {
    const database = await freshDatabase();
    await database.client.db('admin').command({ shardCollection: `${database.name}.articles`, key: { _group: 1 } });
    const serving = await serveModels({ models: [], database });
    const { config, backend, media } = serving.server;
    await fillDemo({ config: { ...config, database: { ...config.database, demo: true } }, backend, media });
    await until(async () => (await serving.call('GET', '/api/articles')).body.meta?.pagination.total > 5);
    await serving.stop();
    await database.drop();
  });
});
