import { expect } from 'chai';
import { loadDemo } from '../../src/cli/load-demo.js';
import { createServer, type MangroveServer } from '../../src/server.js';
import { freshDatabase, type FreshDatabase } from '../support/mongo.js';
import { readDemo } from './read-demo.js';

const { files, pictures, models } = readDemo();
const entries = files.flatMap((file) => file.entries);
const covers = entries.filter(({ data }) => 'cover' in data).length;

describe('cli/load-demo', function () {
  this.timeout(60_000);
  let database: FreshDatabase;
  const servers: MangroveServer[] = [];
  beforeEach(async () => {
    database = await freshDatabase();
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.stop();
    await database.drop();
  });

  const start = async (plugins: { readonly upload?: boolean; readonly i18n?: boolean } = {}): Promise<MangroveServer> => {
    const server = await createServer({
      config: {
        server: { host: '127.0.0.1', port: 0 },
        database: { uri: database.uri },
        api: { open: true },
        plugins: { graphql: false, ...plugins },
        middlewares: { logger: { level: 'silent' } },
      },
    });
    await server.start();
    servers.push(server);
    return server;
  };
  const load = async ({ config, backend, media }: MangroveServer): Promise<number> => {
    if (backend === null) throw new Error('the test database did not answer');
    return loadDemo({ config, backend, media });
  };
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into answers of every form
  const read = async ({ url }: MangroveServer, path: string): Promise<any> => (await fetch(url + path)).json();
  const count = (name: string, filter = {}) => database.db.collection(name).countDocuments(filter);
  const counted = async () => ({
    models: await count('_models'),
    entries: (
      await Promise.all([...models.values()].map(({ kind, collectionName = '' }) => (kind ? count(collectionName) : 0)))
    ).reduce((a, b) => a + b),
    covers: (await count('articles', { cover: { $gt: 0 } })) + (await count('issues', { cover: { $gt: 0 } })),
    files: await count('files'),
    pending: await count('uploads.files', { pending: { $exists: true } }),
    locales: await count('i18n_locales'),
  });
  const whole = { models: models.size, entries: entries.length, covers, files: pictures.length, pending: 0, locales: 2 };

  it('stores everything once, by whichever of two instances, nothing the next time, and serves the covers', async () => {
    const instances = [await start(), await start()] as const;
    const loaded = await Promise.all(instances.map(load));
    expect(loaded.sort((a, b) => a - b)).to.deep.equal([0, entries.length]);
    expect(await load(instances[0])).to.equal(0);
    expect(await counted()).to.deep.equal(whole);
    const { data } = await read(instances[1], '/api/articles?filters[slug][$eq]=how-a-tree-drinks-the-sea&populate=cover');
    const { url, alternativeText, formats } = data[0].attributes.cover.data.attributes;
    expect([alternativeText, Object.keys(formats)]).to.deep.equal([pictures[0]?.alternativeText, ['thumbnail', 'small']]);
    for (const path of [url, formats.thumbnail.url])
      expect((await fetch(instances[0].url + path)).headers.get('content-type')).to.equal('image/jpeg');
  });

  it('stores nothing where it is cut short, and all of it the next time', async () => {
    const server = await start();
    const none = await counted();
    await database.db.createCollection('homepages', { validator: { refused: true } });
    expect(await load(server).catch((error: unknown) => error)).to.be.an('error');
    expect(await counted()).to.deep.equal(none);
    await database.db.command({ collMod: 'homepages', validator: {} });
    expect(await load(server)).to.equal(entries.length);
    expect(await counted()).to.deep.equal(whole);
  });

  it('leaves pictures and translations out where uploads and localization are switched off', async () => {
    const server = await start({ upload: false, i18n: false });
    const originals = entries.filter(({ localizationOf }) => localizationOf === undefined).length;
    expect(await load(server)).to.equal(originals);
    expect(await counted()).to.include({ entries: originals, covers: 0, files: 0 });
  });
});
