import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { ConfigError } from '#settings/setting.js';
import { unavailableError } from '#base/errors.js';
import { Connection } from '#http/running.js';
import { noObserver } from '#base/observe/observer.js';
import { createService } from '#operate/service/create-server.js';
import { BootstrapWaits } from '#strapi/project/bootstrap-waits.js';
import { collectionType } from '../support/collection-type.js';
import { freshDatabase, type FreshDatabase } from '../support/mongo.js';
import { serveModels, storeModels, testConfig } from '../support/serve.js';
import { writeProject } from '../support/write-project.js';

const models = [collectionType('page', { slug: { type: 'string', unique: true } })];

/** Code that creates an entry unless it is there, and tells how many instances of it run at once. */
const seed = `
  module.exports = {
    async bootstrap({ strapi }) {
      const seeds = globalThis.seeds;
      seeds.most = Math.max(seeds.most, ++seeds.running);
      const pages = strapi.db.query('api::page.page');
      if ((await pages.findOne({ where: { slug: 'home' } })) === null) await pages.create({ data: { slug: 'home' } });
      seeds.roles = await strapi.db.query('admin::role').count();
      seeds.running--;
      seeds.ended();
    },
  };`;

const pluginFiles = {
  'config/plugins.json': JSON.stringify({ pages: { enabled: true, resolve: './src/plugins/pages' } }),
  'src/plugins/pages/package.json': JSON.stringify({ name: 'pages', strapi: { kind: 'plugin', name: 'pages' } }),
  'src/plugins/pages/strapi-server.js': seed,
};

/** Where the code may be. */
const places: readonly (readonly [where: string, files: Readonly<Record<string, string>>])[] = [
  ['src/index', { 'src/index.js': seed }],
  ['a plugin', pluginFiles],
];

/** Lets no index of a collection be built until the returned function is called: a build waits for transactions that have written. */
async function holdIndexes(database: FreshDatabase, collection: string): Promise<() => Promise<void>> {
  const client = await MongoClient.connect(database.uri);
  const session = client.startSession();
  session.startTransaction();
  await client
    .db(database.name)
    .collection(collection)
    .insertOne({ _id: 99 as never }, { session });
  return async () => {
    await session.abortTransaction();
    await client.close();
  };
}

describe('bootstrap of a project', () => {
  let seeds: { running: number; most: number; roles: number; ended: () => void };
  let ended: Promise<void>;
  beforeEach(() => {
    ended = new Promise((resolve) => {
      seeds = { running: 0, most: 0, roles: 0, ended: resolve };
    });
    Reflect.set(globalThis, 'seeds', seeds);
  });

  const statusOf = async (url: string): Promise<number> => (await fetch(url)).status;

  /** Runs work with a database with a type whose unique index cannot be built before `release`. */
  const whileBuilding = async (work: (database: FreshDatabase, release: () => Promise<void>) => Promise<void>): Promise<void> => {
    const database = await freshDatabase();
    await database.db.collection('pages').insertOne({ _id: 1 as never, slug: 'first' });
    await database.db.collection('_collections').insertOne({ _id: 'pages' as never });
    const free = await holdIndexes(database, 'pages');
    let freed: Promise<void> | undefined;
    const release = (): Promise<void> => (freed ??= free());
    try {
      await work(database, release);
    } finally {
      await release();
      await database.drop();
    }
  };

  for (const [where, files] of places)
    for (const stored of ['before the start', 'by the start'])
      it(`in ${where} runs when unique indexes are built that are new ${stored}, and the service listens before`, () =>
        whileBuilding(async (database, release) => {
          const early = stored === 'before the start';
          await storeModels(database, early ? models : [collectionType('page', { slug: { type: 'string' } })]);
          const bootstrap = async (): Promise<void> => {
            await storeModels(database, models);
            await server.backend?.models.load();
          };
          const config = testConfig(database, { database: { maxTimeMS: { read: 10_000, write: 1_000 } } });
          const server = await createService({ config, project: await writeProject(files), bootstrap });
          try {
            await server.start();
            const paths = ['/_health', '/_health/ready', '/api/pages', '/graphql?query={__typename}'];
            const answers = await Promise.all(paths.map((path) => statusOf(`${server.url}${path}`)));
            expect(answers).to.deep.equal([204, 503, 503, 503]);
            expect(seeds.most).to.equal(0);
            await release();
            await ended;
            while ((await statusOf(`${server.url}/_health/ready`)) !== 200) await database.db.command({ ping: 1 });
            expect(await statusOf(`${server.url}/api/pages`)).to.equal(200);
            expect(await database.db.collection('pages').countDocuments({ slug: 'home' })).to.equal(1);
          } finally {
            await server.stop();
          }
        }));

  const withoutBootstrap: readonly (readonly [name: string, files: Readonly<Record<string, string>> | null])[] = [
    ['without a project', null],
    ['for a project without code of bootstrap', { 'src/index.js': 'module.exports = { register() {} };' }],
  ];
  for (const [name, files] of withoutBootstrap)
    it(`does not keep requests waiting ${name}`, () =>
      whileBuilding(async (database, release) => {
        const project = files && (await writeProject(files));
        const config = testConfig(database);
        await storeModels(database, models);
        const server = await createService({ config, bootstrap: () => undefined, ...(project !== null && { project }) });
        try {
          await server.start();
          for (const path of ['/_health/ready', '/api/pages', '/graphql?query={__typename}'])
            expect(await statusOf(`${server.url}${path}`), path).to.equal(200);
        } finally {
          await release();
          await server.stop();
        }
      }));

  /** Lets another instance run its bootstrap for long. */
  const occupy = ({ db }: FreshDatabase): Promise<unknown> =>
    db.collection('_claims').insertOne({ _id: 'bootstrap' as never, holder: 'other', until: new Date(Date.now() + 3_600_000) });

  it('of another instance lets the service listen, and a stop ends the wait for it', async () => {
    const database = await freshDatabase();
    await occupy(database);
    const project = await writeProject({ 'src/index.js': seed });
    const config = { database: { maxTimeMS: { read: 10_000, write: 1_000 } } };
    const { server, stop } = await serveModels({ models, database, project, config });
    expect(await statusOf(`${server.url}/_health`)).to.equal(204);
    await stop();
    expect(seeds.most).to.equal(0);
    await database.drop();
  });

  it('does not run after a stop before the service listens', async () => {
    const database = await freshDatabase();
    await storeModels(database, models);
    await occupy(database);
    const project = await writeProject({ 'src/index.js': seed });
    const server = await createService({ config: testConfig(database), project });
    const isStarted = server.start();
    while (server.backend === null) await database.db.command({ ping: 1 });
    await server.stop();
    await isStarted;
    expect(server.url).to.equal('');
    expect(seeds.most).to.equal(0);
    await database.drop();
  });

  it('runs on one instance after the other, and finds the roles of administrators', async () => {
    const database = await freshDatabase();
    const project = await writeProject({ 'src/index.js': seed });
    const servings = await Promise.all([1, 2, 3].map(() => serveModels({ models, database, project })));
    try {
      expect(seeds).to.include({ running: 0, most: 1, roles: 3 });
      expect(await database.db.collection('pages').countDocuments({ slug: 'home' })).to.equal(1);
    } finally {
      for (const serving of servings) await serving.stop();
      await database.drop();
    }
  });

  it('runs again if the database did not answer, but not after other errors', async () => {
    const waits = new BootstrapWaits({ connection: new Connection(), observer: noObserver, patience: 60_000, pause: 0 });
    const failing = (errors: unknown[]) => () => {
      if (errors.length > 0) throw errors.shift();
    };
    const outcome = (errors: unknown[]): Promise<unknown> =>
      waits.untilAnswered('src/index', failing(errors), 2).then(
        () => 'done',
        (error: unknown) => error,
      );
    const late = unavailableError();
    expect(await outcome([late, new Error('wrapped', { cause: late })])).to.equal('done');
    expect(await outcome([late, late, late])).to.equal(late);
    const final = new ConfigError('code that has run again', { cause: late });
    expect(await outcome([final])).to.equal(final);
    const bug = new Error('a bug');
    expect(await outcome([bug])).to.equal(bug);
  });
});
