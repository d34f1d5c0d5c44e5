import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { fillDemo, loadDemo } from '#operate/cli/load-demo.js';
import type { PartialConfig } from '#settings/create-config.js';
import { createService } from '#operate/service/create-server.js';
import type { Service } from '#operate/service/service.js';
import { drawNoise } from '../../../media/draw.js';
import { freshDatabase, type FreshDatabase } from '../../../support/mongo.js';
import { testConfig } from '../../../support/serve.js';
import { demoFolder, readDemo } from './read-demo.js';

const { files, pictures, models } = readDemo();
const entries = files.flatMap((file) => file.entries);
const originals = entries.filter(({ localizationOf }) => localizationOf === undefined).length;
const covers = entries.filter(({ data }) => 'cover' in data).length;

describe('cli/load-demo', () => {
  let database: FreshDatabase;
  /** The demo with pictures that take no time to draw. */
  let light: string;
  const servers: Service[] = [];
  before(async () => {
    light = await mkdtemp(path.join(tmpdir(), 'mangrove-demo-'));
    await cp(demoFolder, light, { recursive: true });
    const bytes = await drawNoise(4, 4, 'jpeg');
    for (const { name } of pictures) await writeFile(path.join(light, 'files', name), bytes);
  });
  after(() => rm(light, { recursive: true }));
  beforeEach(async () => {
    database = await freshDatabase();
  });
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.stop()));
    await database.drop();
  });

  const start = async (plugins: PartialConfig['plugins'] = {}, settings: PartialConfig['database'] = {}) => {
    const server = await createService({
      config: testConfig(database, { database: settings, plugins: { graphql: false, ...plugins } }),
    });
    servers.push(server);
    await server.start();
    return server;
  };
  const load = async ({ config, backend, media }: Service): Promise<number> => {
    if (backend === null) throw new Error('the test database did not answer');
    return loadDemo({ config, backend, media }, light);
  };
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into answers of every form
  const read = async ({ url }: Service, path: string): Promise<any> => (await fetch(url + path)).json();
  const count = (name: string, filter = {}) => database.db.collection(name).countDocuments(filter);
  const counted = async () => ({
    models: await count('_models'),
    entries: (
      await Promise.all([...models.values()].map(({ kind, collectionName = '' }) => (kind ? count(collectionName) : 0)))
    ).reduce((a, b) => a + b),
    covers: (await count('articles', { cover: { $gt: 0 } })) + (await count('issues', { cover: { $gt: 0 } })),
    files: await count('files'),
    pending: await count('uploads.files', { pending: { $exists: true } }),
    locales: (await database.db.collection('i18n_locales').find().sort({ _id: 1 }).toArray()).map(({ name }) => name as unknown),
  });
  const whole = {
    models: models.size,
    entries: entries.length,
    covers,
    files: pictures.length,
    pending: 0,
    locales: ['English (en)', 'French (fr)'],
  };

  it('stores nothing unless it is asked for, or if it is interrupted; then everything once, and serves the covers', async () => {
    const server = await start({}, { demo: true });
    const { backend, media, config } = server;
    const none = await counted();
    await fillDemo({ backend, media, config: { ...config, database: { ...config.database, demo: false } } });
    expect([await counted(), none.models, none.files]).to.deep.equal([none, 0, 0]);
    await database.db.createCollection('issues', { validator: { refused: true } });
    expect(await load(server).catch((error: unknown) => error)).to.be.an('error');
    expect(await counted()).to.deep.equal(none);
    await database.db.command({ collMod: 'issues', validator: {} });
    await fillDemo(server);
    expect([await counted(), await load(server), await counted()]).to.deep.equal([whole, 0, whole]);
    const { data } = await read(server, '/api/articles?filters[slug][$eq]=how-a-tree-drinks-the-sea&populate=cover');
    const { url, alternativeText, formats } = data[0].attributes.cover.data.attributes;
    expect([alternativeText, Object.keys(formats)]).to.deep.equal([pictures[0]?.alternativeText, ['thumbnail', 'small']]);
    for (const path of [url, formats.thumbnail.url])
      expect((await fetch(server.url + path)).headers.get('content-type')).to.equal('image/jpeg');
  });

  it('says how to start without it if it cannot be stored', async () => {
    const { config, backend, media } = await start();
    await database.db.collection('articles').insertOne({ title: 'Somebody else’s' });
    const failed = await fillDemo({ backend, media, config: { ...config, database: { ...config.database, demo: true } } }).catch(
      (error: unknown) => (error instanceof Error ? error.message : ''),
    );
    expect(failed).to.equal(
      'the demo was not loaded: collections that were never served hold documents: articles; MANGROVE_DEMO=false starts without it',
    );
  });

  it('is stored however long it takes: the limits of requests do not hold for it', async () => {
    const { config, backend, media } = await start();
    if (backend === null) throw new Error('the test database did not answer');
    const { store, models } = backend;
    const hurried = { ...store, database: { ...store.database, maxTimeMS: { read: 5_000, write: 1 } } };
    await loadDemo({ config, backend: { ...backend, store: hurried, models }, media }, light);
    expect(await counted()).to.deep.equal(whole);
  });

  it('is stored once by two instances, in its languages, whatever the default locale', async () => {
    const french = { i18n: { config: { defaultLocale: 'fr' } } };
    const instances = await Promise.all([start(french), start(french)]);
    const loaded = await Promise.all(instances.map(load));
    expect(loaded.sort((a, b) => a - b)).to.deep.equal([0, entries.length]);
    expect(await counted()).to.deep.equal({ ...whole, locales: ['French (fr)', 'English (en)'] });
    const [server] = instances;
    const localesOf = async (query: string): Promise<unknown> =>
      (await read(server, `/api/homepage${query}`)).data.attributes.locale;
    expect([await localesOf(''), await localesOf('?locale=en')]).to.deep.equal(['fr', 'en']);
  });

  it('leaves out pictures and translations if uploads and localization are switched off', async () => {
    const server = await start({ upload: false, i18n: false });
    expect(await load(server)).to.equal(originals);
    expect(await counted()).to.include({ entries: originals, covers: 0, files: 0 });
  });
});
