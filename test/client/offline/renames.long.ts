import { expect } from 'chai';
import type { Offline } from '#client/offline/offline.js';
import type { AnyTypes } from '#client/entry.js';
import { storeModels, type TestModel } from '../../support/serve.js';
import { type Device, offlineModels, serveOffline, type ServingOffline } from './serve-offline.js';

/** A list with the names that an app of either version uses. */
type Entries = readonly Readonly<Record<string, unknown>>[];

const list = async (offline: Offline<AnyTypes>, type: string): Promise<Entries> => (await offline.list(type)) as Entries;

describe('writes while offline, and a model that is renamed meanwhile', function () {
  this.timeout(60_000);
  let server: ServingOffline;
  let ann: string;
  before(async () => {
    server = await serveOffline();
    ann = (await server.addUser('ann')).jwt;
  });
  after(() => server.stop());

  const modelOf = (uid: string): TestModel => offlineModels.find((model) => model.uid === uid) as TestModel;

  /** Stores models, and resolves when their new names are served. */
  async function change(...models: readonly TestModel[]): Promise<void> {
    const { models: loaded } = server.server.backend ?? {};
    await storeModels(server.database, models);
    do await loaded?.load();
    while (loaded?.renames.moving().size !== 0);
    await server.settled();
  }

  const post = async (title: string): Promise<number> =>
    (await server.as(server.editor, 'POST', '/api/posts', { data: { title, rating: 1 } })).body.data.id;
  const stored = async (type: string, id: unknown): Promise<Record<string, unknown>> =>
    (await server.as(server.editor, 'GET', `/api/${type}/${String(id)}`)).body.data?.attributes;

  /** Returns a device of Ann that has everything, and is in a tunnel. */
  async function inTunnel(): Promise<Device> {
    const device = server.device({ jwt: ann });
    await server.meet(device);
    device.network.isCut = true;
    return device;
  }

  it('an app of the former version goes on with the former name of an attribute', async () => {
    const [one, other, crossed] = [await post('Salt'), await post('Pepper'), await post('Oil')];
    const device = await inTunnel();
    const { offline } = device;
    await offline.update('posts', one, { title: 'Sea salt' });
    await offline.increment('posts', one, { rating: 2 });
    await offline.update('posts', crossed, { title: 'My oil' });
    const made = await offline.create('posts', { title: 'Train', rating: 1 });
    await server.as(server.editor, 'PUT', `/api/posts/${String(crossed)}`, { data: { title: 'Their oil' } });
    const { title, rating, ...others } = modelOf('api::post.post').attributes as Record<string, object>;
    await change({
      ...modelOf('api::post.post'),
      attributes: { headline: { ...title, renamedFrom: 'title' }, stars: { ...rating, renamedFrom: 'rating' }, ...others },
    });
    device.network.isCut = false;
    await server.meet(device);
    await offline.push(); // a copy that begins anew asks for conflicts again
    expect(await stored('posts', one)).to.include({ headline: 'Sea salt', stars: 3 });
    expect(await stored('posts', (await offline.get('posts', made.id))?.id)).to.include({ headline: 'Train', stars: 1 });
    const [conflict] = await offline.conflicts();
    expect(conflict).to.deep.include({ conflicts: { title: { from: 'Oil', mine: 'My oil', theirs: 'Their oil' } } });
    await offline.resolve(conflict?.key ?? '', { title: 'Our oil' });

    // what has changed since is not overwritten, whatever name the app uses
    await server.as(server.editor, 'PUT', `/api/posts/${String(other)}`, { data: { title: 'White pepper' } });
    await offline.update('posts', other, { title: 'Black pepper' });
    await offline.update('posts', one, { headline: 'Rock salt' });
    await offline.increment('posts', one, { rating: 1 });
    await server.meet(device);
    expect(await stored('posts', crossed)).to.include({ headline: 'Our oil' });
    expect(await stored('posts', one)).to.include({ headline: 'Rock salt', stars: 4 });
    expect(await stored('posts', other)).to.include({ headline: 'White pepper' });
    const [second] = await offline.conflicts();
    expect(second).to.deep.include({ conflicts: { title: { from: 'Pepper', mine: 'Black pepper', theirs: 'White pepper' } } });
    await offline.resolve(second?.key ?? '', 'theirs');

    // entries have both names, which filters and sorts may use
    expect(await offline.get('posts', one)).to.deep.include({ title: 'Rock salt', headline: 'Rock salt', rating: 4, stars: 4 });
    const sorted = await offline.list('posts', { filters: { rating: { $lte: 1 } }, sort: 'title' });
    expect((sorted as Entries).map(({ headline }) => headline)).to.deep.equal(['Our oil', 'Train', 'White pepper']);
  });

  it('an app of the next version overwrites nothing that its copy does not have yet', async () => {
    const author = (await server.as(server.editor, 'POST', '/api/authors', { data: { name: 'Ann' } })).body.data.id;
    const device = await inTunnel();
    const { name, ...others } = modelOf('api::author.author').attributes as Record<string, object>;
    await change({ ...modelOf('api::author.author'), attributes: { label: { ...name, renamedFrom: 'name' }, ...others } });
    await device.offline.update('authors', author, { label: 'Bea' });
    device.network.isCut = false;
    await server.meet(device);
    await device.offline.push();
    expect(await stored('authors', author)).to.include({ label: 'Ann' });
    const [conflict] = await device.offline.conflicts();
    expect(conflict).to.deep.include({ conflicts: { label: { from: null, mine: 'Bea', theirs: 'Ann' } } });
    await device.offline.resolve(conflict?.key ?? '', 'mine');
    await server.meet(device);
    expect(await stored('authors', author)).to.include({ label: 'Bea' });
  });

  it('entries have both names also if an instance has told the other one that still serves the former', async () => {
    await server.as(server.editor, 'POST', '/api/tags', { data: { name: 'red' } });
    for (const renamed of [{ label: 'name' }, { name: 'label' }]) {
      const device = server.device({ jwt: ann, types: ['tags'] });
      const schema = { data: { tags: { [Object.values(renamed)[0] ?? '']: 'scalar' } }, meta: { renamed: { tags: renamed } } };
      device.network.answers = (path) => (path.endsWith('/schema') ? Response.json(schema) : null);
      await server.meet(device);
      const red = (await list(device.offline, 'tags')).find(({ name }) => name === 'red');
      expect(red).to.include({ label: 'red' });
      expect(await device.offline.create('tags', {})).to.include({ name: null, label: null });
    }
  });

  it('writes to a type that is renamed are refused, and the next version of the app takes them over', async () => {
    const { body } = await server.as(server.editor, 'POST', '/api/tags', { data: { name: 'red' } });
    const device = await inTunnel();
    await device.offline.update('tags', body.data.id, { name: 'dark red' });
    const tag = modelOf('api::tag.tag');
    await change({
      ...tag,
      uid: 'api::label.label',
      renamedFrom: tag.uid,
      info: { singularName: 'label', pluralName: 'labels', displayName: 'Label' },
    } as TestModel);
    device.network.isCut = false;
    const failure = await device.offline
      .push()
      .then(() => device.offline.pull())
      .catch((error: unknown) => error);
    expect(failure).to.include({ status: 404 });
    expect(await list(device.offline, 'tags')).to.deep.equal([]);
    await device.offline.close();

    const next = server.device({ jwt: ann, store: device.store, types: ['posts', 'labels'] });
    await next.offline.pull();
    const [refused] = await next.offline.refused();
    expect(refused).to.deep.include({ type: 'tags', id: body.data.id, set: { name: { from: 'red', to: 'dark red' } } });
    expect(refused?.error).to.include({ status: 404 });
    await next.offline.update('labels', body.data.id, { name: refused?.set?.['name']?.to });
    await next.offline.drop(refused?.key ?? '');
    await next.offline.push();
    expect(await stored('labels', body.data.id)).to.include({ name: 'dark red' });
  });
});
